; ModuleID = 'kept'
source_filename = "kept"

; Function Attrs: mustprogress nounwind willreturn
define void @kept(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %a = load ptr, ptr %buffers, align 8
  %0 = getelementptr inbounds i8, ptr %buffers, i64 8
  %1 = load i64, ptr %0, align 8
  %a.len = trunc i64 %1 to i32
  %2 = getelementptr inbounds i8, ptr %buffers, i64 16
  %out = load ptr, ptr %2, align 8
  %3 = getelementptr inbounds i8, ptr %buffers, i64 24
  %4 = load i64, ptr %3, align 8
  %out.len = trunc i64 %4 to i32
  %groups1 = load i32, ptr %groups, align 4
  %sum = alloca i32, align 4
  %kept = getelementptr inbounds i8, ptr %scratch, i64 64
  %kept2 = getelementptr inbounds i8, ptr %scratch, i64 128
  %end = add i64 %first, %count
  %5 = icmp ult i64 %first, %end
  br i1 %5, label %group, label %done61

group:                                            ; preds = %after60, %entry
  %group3 = phi i64 [ %first, %entry ], [ %114, %after60 ]
  %6 = zext i32 %groups1 to i64
  %7 = urem i64 %group3, %6
  %group.x = trunc i64 %7 to i32
  %8 = mul nuw nsw i32 %group.x, 8
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 64, i1 false)
  %9 = icmp ult i32 0, %a.len
  br i1 %9, label %then, label %endif

then:                                             ; preds = %group
  %10 = getelementptr inbounds i32, ptr %a, i64 0
  %11 = load i32, ptr %10, align 4, !alias.scope !0, !noalias !3
  br label %endif

endif:                                            ; preds = %then, %group
  %load = phi i32 [ 0, %group ], [ %11, %then ]
  %12 = add nuw nsw i32 %8, 0
  %13 = zext i32 %12 to i64
  %14 = add i64 %13, 7
  %15 = zext i32 %a.len to i64
  %16 = icmp ult i64 %14, %15
  %17 = and i1 true, %16
  %begin = sub i64 %13, 0
  br i1 %17, label %inside, label %guarded

inside:                                           ; preds = %endif
  br label %x

x:                                                ; preds = %x, %inside
  %x4 = phi i32 [ 0, %inside ], [ %27, %x ]
  %id.x = phi i32 [ %8, %inside ], [ %29, %x ]
  %lane = zext i32 %x4 to i64
  %18 = getelementptr inbounds i32, ptr %kept, i64 %lane
  %19 = load i32, ptr %18, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !10
  store i32 %19, ptr %sum, align 4
  %20 = zext i32 %x4 to i64
  %21 = mul i64 %20, 1
  %at = add i64 %begin, %21
  %22 = getelementptr inbounds i32, ptr %a, i64 %at
  %23 = load i32, ptr %22, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !10
  %24 = getelementptr inbounds i32, ptr %kept2, i64 %lane
  store i32 %23, ptr %24, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !10
  store i32 %23, ptr %sum, align 4
  %25 = load i32, ptr %sum, align 4
  %26 = getelementptr inbounds i32, ptr %kept, i64 %lane
  store i32 %25, ptr %26, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !10
  %27 = add nuw i32 %x4, 1
  %28 = icmp ult i32 %27, 8
  %29 = add nuw nsw i32 %id.x, 1
  br i1 %28, label %x, label %done, !llvm.loop !13

done:                                             ; preds = %x
  br label %after

guarded:                                          ; preds = %endif
  br label %x5

x5:                                               ; preds = %endif10, %guarded
  %x6 = phi i32 [ 0, %guarded ], [ %39, %endif10 ]
  %id.x7 = phi i32 [ %8, %guarded ], [ %41, %endif10 ]
  %lane8 = zext i32 %x6 to i64
  %30 = getelementptr inbounds i32, ptr %kept, i64 %lane8
  %31 = load i32, ptr %30, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !15
  store i32 %31, ptr %sum, align 4
  %32 = icmp ult i32 %id.x7, %a.len
  br i1 %32, label %then9, label %endif10

then9:                                            ; preds = %x5
  %33 = zext i32 %id.x7 to i64
  %34 = getelementptr inbounds i32, ptr %a, i64 %33
  %35 = load i32, ptr %34, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !15
  br label %endif10

endif10:                                          ; preds = %then9, %x5
  %load11 = phi i32 [ 0, %x5 ], [ %35, %then9 ]
  %36 = getelementptr inbounds i32, ptr %kept2, i64 %lane8
  store i32 %load11, ptr %36, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !15
  store i32 %load11, ptr %sum, align 4
  %37 = load i32, ptr %sum, align 4
  %38 = getelementptr inbounds i32, ptr %kept, i64 %lane8
  store i32 %37, ptr %38, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !15
  %39 = add nuw i32 %x6, 1
  %40 = icmp ult i32 %39, 8
  %41 = add nuw nsw i32 %id.x7, 1
  br i1 %40, label %x5, label %done12, !llvm.loop !16

done12:                                           ; preds = %endif10
  br label %after

after:                                            ; preds = %done12, %done
  %42 = icmp ult i32 0, %load
  br i1 %42, label %loop, label %done38

loop:                                             ; preds = %done37, %after
  %loop13 = phi i32 [ 0, %after ], [ %78, %done37 ]
  %43 = add nuw nsw i32 %8, 0
  br i1 true, label %inside14, label %guarded21

inside14:                                         ; preds = %loop
  br label %x15

x15:                                              ; preds = %x15, %inside14
  %x16 = phi i32 [ 0, %inside14 ], [ %50, %x15 ]
  %id.x17 = phi i32 [ %8, %inside14 ], [ %52, %x15 ]
  %lane18 = zext i32 %x16 to i64
  %44 = getelementptr inbounds i32, ptr %kept, i64 %lane18
  %45 = load i32, ptr %44, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !18
  store i32 %45, ptr %sum, align 4
  %46 = load i32, ptr %sum, align 4
  %47 = zext i32 %x16 to i64
  %48 = mul i64 %47, 1
  %at19 = add i64 0, %48
  %49 = getelementptr inbounds i32, ptr %scratch, i64 %at19
  store i32 %46, ptr %49, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !18
  %50 = add nuw i32 %x16, 1
  %51 = icmp ult i32 %50, 8
  %52 = add nuw nsw i32 %id.x17, 1
  br i1 %51, label %x15, label %done20, !llvm.loop !21

done20:                                           ; preds = %x15
  br label %after29

guarded21:                                        ; preds = %loop
  br label %x22

x22:                                              ; preds = %endif27, %guarded21
  %x23 = phi i32 [ 0, %guarded21 ], [ %59, %endif27 ]
  %id.x24 = phi i32 [ %8, %guarded21 ], [ %61, %endif27 ]
  %lane25 = zext i32 %x23 to i64
  %53 = getelementptr inbounds i32, ptr %kept, i64 %lane25
  %54 = load i32, ptr %53, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !23
  store i32 %54, ptr %sum, align 4
  %55 = load i32, ptr %sum, align 4
  %56 = icmp ult i32 %x23, 8
  br i1 %56, label %then26, label %endif27

then26:                                           ; preds = %x22
  %57 = zext i32 %x23 to i64
  %58 = getelementptr inbounds i32, ptr %scratch, i64 %57
  store i32 %55, ptr %58, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !23
  br label %endif27

endif27:                                          ; preds = %then26, %x22
  %59 = add nuw i32 %x23, 1
  %60 = icmp ult i32 %59, 8
  %61 = add nuw nsw i32 %id.x24, 1
  br i1 %60, label %x22, label %done28, !llvm.loop !24

done28:                                           ; preds = %endif27
  br label %after29

after29:                                          ; preds = %done28, %done20
  %62 = add nuw nsw i32 %8, 0
  br label %x30

x30:                                              ; preds = %endif35, %after29
  %x31 = phi i32 [ 0, %after29 ], [ %75, %endif35 ]
  %id.x32 = phi i32 [ %8, %after29 ], [ %77, %endif35 ]
  %lane33 = zext i32 %x31 to i64
  %63 = getelementptr inbounds i32, ptr %kept, i64 %lane33
  %64 = load i32, ptr %63, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !26
  store i32 %64, ptr %sum, align 4
  %65 = load i32, ptr %sum, align 4
  %66 = sub i32 7, %x31
  %67 = icmp ult i32 %66, 8
  br i1 %67, label %then34, label %endif35

then34:                                           ; preds = %x30
  %68 = zext i32 %66 to i64
  %69 = getelementptr inbounds i32, ptr %scratch, i64 %68
  %70 = load i32, ptr %69, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !26
  %71 = freeze i32 %70
  br label %endif35

endif35:                                          ; preds = %then34, %x30
  %load36 = phi i32 [ 0, %x30 ], [ %71, %then34 ]
  %72 = add i32 %65, %load36
  store i32 %72, ptr %sum, align 4
  %73 = load i32, ptr %sum, align 4
  %74 = getelementptr inbounds i32, ptr %kept, i64 %lane33
  store i32 %73, ptr %74, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !26
  %75 = add nuw i32 %x31, 1
  %76 = icmp ult i32 %75, 8
  %77 = add nuw nsw i32 %id.x32, 1
  br i1 %76, label %x30, label %done37, !llvm.loop !27

done37:                                           ; preds = %endif35
  %78 = add nuw i32 %loop13, 1
  %79 = icmp ult i32 %78, %load
  br i1 %79, label %loop, label %done38

done38:                                           ; preds = %done37, %after
  %80 = add nuw nsw i32 %8, 0
  %81 = zext i32 %80 to i64
  %82 = add i64 %81, 7
  %83 = zext i32 %out.len to i64
  %84 = icmp ult i64 %82, %83
  %85 = and i1 true, %84
  %begin39 = sub i64 %81, 0
  br i1 %85, label %inside40, label %guarded49

inside40:                                         ; preds = %done38
  br label %x41

x41:                                              ; preds = %next, %inside40
  %x42 = phi i32 [ 0, %inside40 ], [ %97, %next ]
  %id.x43 = phi i32 [ %8, %inside40 ], [ %99, %next ]
  %lane44 = zext i32 %x42 to i64
  %86 = getelementptr inbounds i32, ptr %kept2, i64 %lane44
  %87 = load i32, ptr %86, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !29
  %88 = getelementptr inbounds i32, ptr %kept, i64 %lane44
  %89 = load i32, ptr %88, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !29
  store i32 %89, ptr %sum, align 4
  %90 = load i32, ptr %sum, align 4
  %91 = icmp eq i32 %90, %87
  br i1 %91, label %then45, label %endif46

then45:                                           ; preds = %x41
  br label %next

endif46:                                          ; preds = %x41
  %92 = load i32, ptr %sum, align 4
  %93 = xor i32 %92, %87
  %94 = zext i32 %x42 to i64
  %95 = mul i64 %94, 1
  %at47 = add i64 %begin39, %95
  %96 = getelementptr inbounds i32, ptr %out, i64 %at47
  store i32 %93, ptr %96, align 4, !alias.scope !30, !noalias !31, !llvm.access.group !29
  br label %next

next:                                             ; preds = %endif46, %then45
  %97 = add nuw i32 %x42, 1
  %98 = icmp ult i32 %97, 8
  %99 = add nuw nsw i32 %id.x43, 1
  br i1 %98, label %x41, label %done48, !llvm.loop !32

done48:                                           ; preds = %next
  br label %after60

guarded49:                                        ; preds = %done38
  br label %x50

x50:                                              ; preds = %next58, %guarded49
  %x51 = phi i32 [ 0, %guarded49 ], [ %111, %next58 ]
  %id.x52 = phi i32 [ %8, %guarded49 ], [ %113, %next58 ]
  %lane53 = zext i32 %x51 to i64
  %100 = getelementptr inbounds i32, ptr %kept2, i64 %lane53
  %101 = load i32, ptr %100, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !34
  %102 = getelementptr inbounds i32, ptr %kept, i64 %lane53
  %103 = load i32, ptr %102, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !34
  store i32 %103, ptr %sum, align 4
  %104 = load i32, ptr %sum, align 4
  %105 = icmp eq i32 %104, %101
  br i1 %105, label %then54, label %endif55

then54:                                           ; preds = %x50
  br label %next58

endif55:                                          ; preds = %x50
  %106 = load i32, ptr %sum, align 4
  %107 = xor i32 %106, %101
  %108 = icmp ult i32 %id.x52, %out.len
  br i1 %108, label %then56, label %endif57

then56:                                           ; preds = %endif55
  %109 = zext i32 %id.x52 to i64
  %110 = getelementptr inbounds i32, ptr %out, i64 %109
  store i32 %107, ptr %110, align 4, !alias.scope !30, !noalias !31, !llvm.access.group !34
  br label %endif57

endif57:                                          ; preds = %then56, %endif55
  br label %next58

next58:                                           ; preds = %endif57, %then54
  %111 = add nuw i32 %x51, 1
  %112 = icmp ult i32 %111, 8
  %113 = add nuw nsw i32 %id.x52, 1
  br i1 %112, label %x50, label %done59, !llvm.loop !35

done59:                                           ; preds = %next58
  br label %after60

after60:                                          ; preds = %done59, %done48
  %114 = add nuw i64 %group3, 1
  %115 = icmp ult i64 %114, %end
  br i1 %115, label %group, label %done61

done61:                                           ; preds = %after60, %entry
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"kept"}
!3 = !{!4, !5, !6, !7}
!4 = distinct !{!4, !2}
!5 = distinct !{!5, !2}
!6 = distinct !{!6, !2}
!7 = distinct !{!7, !2}
!8 = !{!6}
!9 = !{!1, !4, !5, !7}
!10 = distinct !{}
!11 = !{!7}
!12 = !{!1, !4, !5, !6}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.parallel_accesses", !10}
!15 = distinct !{}
!16 = distinct !{!16, !17}
!17 = !{!"llvm.loop.parallel_accesses", !15}
!18 = distinct !{}
!19 = !{!5}
!20 = !{!1, !4, !6, !7}
!21 = distinct !{!21, !22}
!22 = !{!"llvm.loop.parallel_accesses", !18}
!23 = distinct !{}
!24 = distinct !{!24, !25}
!25 = !{!"llvm.loop.parallel_accesses", !23}
!26 = distinct !{}
!27 = distinct !{!27, !28}
!28 = !{!"llvm.loop.parallel_accesses", !26}
!29 = distinct !{}
!30 = !{!4}
!31 = !{!1, !5, !6, !7}
!32 = distinct !{!32, !33}
!33 = !{!"llvm.loop.parallel_accesses", !29}
!34 = distinct !{}
!35 = distinct !{!35, !36}
!36 = !{!"llvm.loop.parallel_accesses", !34}
