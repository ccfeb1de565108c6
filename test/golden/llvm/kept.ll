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
  br i1 %5, label %group, label %done53

group:                                            ; preds = %after52, %entry
  %group3 = phi i64 [ %first, %entry ], [ %106, %after52 ]
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
  %18 = zext i32 %x4 to i64
  %19 = mul i64 %18, 1
  %at = add i64 %begin, %19
  %lane = zext i32 %x4 to i64
  %20 = getelementptr inbounds i32, ptr %kept, i64 %lane
  %21 = load i32, ptr %20, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !10
  store i32 %21, ptr %sum, align 4
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
  br i1 %42, label %loop, label %done30

loop:                                             ; preds = %done29, %after
  %loop13 = phi i32 [ 0, %after ], [ %70, %done29 ]
  %43 = add nuw nsw i32 %8, 0
  br label %x14

x14:                                              ; preds = %endif20, %loop
  %x15 = phi i32 [ 0, %loop ], [ %51, %endif20 ]
  %id.x16 = phi i32 [ %8, %loop ], [ %53, %endif20 ]
  %44 = zext i32 %x15 to i64
  %45 = mul i64 %44, 1
  %at19 = add i64 0, %45
  %lane17 = zext i32 %x15 to i64
  %46 = getelementptr inbounds i32, ptr %kept, i64 %lane17
  %47 = load i32, ptr %46, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !18
  store i32 %47, ptr %sum, align 4
  %48 = load i32, ptr %sum, align 4
  %49 = icmp ult i32 %x15, 8
  br i1 %49, label %then18, label %endif20

then18:                                           ; preds = %x14
  %50 = getelementptr inbounds i32, ptr %scratch, i64 %at19
  store i32 %48, ptr %50, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !18
  br label %endif20

endif20:                                          ; preds = %then18, %x14
  %51 = add nuw i32 %x15, 1
  %52 = icmp ult i32 %51, 8
  %53 = add nuw nsw i32 %id.x16, 1
  br i1 %52, label %x14, label %done21, !llvm.loop !21

done21:                                           ; preds = %endif20
  %54 = add nuw nsw i32 %8, 0
  br label %x22

x22:                                              ; preds = %endif27, %done21
  %x23 = phi i32 [ 0, %done21 ], [ %67, %endif27 ]
  %id.x24 = phi i32 [ %8, %done21 ], [ %69, %endif27 ]
  %lane25 = zext i32 %x23 to i64
  %55 = getelementptr inbounds i32, ptr %kept, i64 %lane25
  %56 = load i32, ptr %55, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !23
  store i32 %56, ptr %sum, align 4
  %57 = load i32, ptr %sum, align 4
  %58 = sub i32 7, %x23
  %59 = icmp ult i32 %58, 8
  br i1 %59, label %then26, label %endif27

then26:                                           ; preds = %x22
  %60 = zext i32 %58 to i64
  %61 = getelementptr inbounds i32, ptr %scratch, i64 %60
  %62 = load i32, ptr %61, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !23
  %63 = freeze i32 %62
  br label %endif27

endif27:                                          ; preds = %then26, %x22
  %load28 = phi i32 [ 0, %x22 ], [ %63, %then26 ]
  %64 = add i32 %57, %load28
  store i32 %64, ptr %sum, align 4
  %65 = load i32, ptr %sum, align 4
  %66 = getelementptr inbounds i32, ptr %kept, i64 %lane25
  store i32 %65, ptr %66, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !23
  %67 = add nuw i32 %x23, 1
  %68 = icmp ult i32 %67, 8
  %69 = add nuw nsw i32 %id.x24, 1
  br i1 %68, label %x22, label %done29, !llvm.loop !24

done29:                                           ; preds = %endif27
  %70 = add nuw i32 %loop13, 1
  %71 = icmp ult i32 %70, %load
  br i1 %71, label %loop, label %done30

done30:                                           ; preds = %done29, %after
  %72 = add nuw nsw i32 %8, 0
  %73 = zext i32 %72 to i64
  %74 = add i64 %73, 7
  %75 = zext i32 %out.len to i64
  %76 = icmp ult i64 %74, %75
  %77 = and i1 true, %76
  %begin31 = sub i64 %73, 0
  br i1 %77, label %inside32, label %guarded41

inside32:                                         ; preds = %done30
  br label %x33

x33:                                              ; preds = %next, %inside32
  %x34 = phi i32 [ 0, %inside32 ], [ %89, %next ]
  %id.x35 = phi i32 [ %8, %inside32 ], [ %91, %next ]
  %78 = zext i32 %x34 to i64
  %79 = mul i64 %78, 1
  %at39 = add i64 %begin31, %79
  %lane36 = zext i32 %x34 to i64
  %80 = getelementptr inbounds i32, ptr %kept2, i64 %lane36
  %81 = load i32, ptr %80, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !26
  %82 = getelementptr inbounds i32, ptr %kept, i64 %lane36
  %83 = load i32, ptr %82, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !26
  store i32 %83, ptr %sum, align 4
  %84 = load i32, ptr %sum, align 4
  %85 = icmp eq i32 %84, %81
  br i1 %85, label %then37, label %endif38

then37:                                           ; preds = %x33
  br label %next

endif38:                                          ; preds = %x33
  %86 = load i32, ptr %sum, align 4
  %87 = xor i32 %86, %81
  %88 = getelementptr inbounds i32, ptr %out, i64 %at39
  store i32 %87, ptr %88, align 4, !alias.scope !27, !noalias !28, !llvm.access.group !26
  br label %next

next:                                             ; preds = %endif38, %then37
  %89 = add nuw i32 %x34, 1
  %90 = icmp ult i32 %89, 8
  %91 = add nuw nsw i32 %id.x35, 1
  br i1 %90, label %x33, label %done40, !llvm.loop !29

done40:                                           ; preds = %next
  br label %after52

guarded41:                                        ; preds = %done30
  br label %x42

x42:                                              ; preds = %next50, %guarded41
  %x43 = phi i32 [ 0, %guarded41 ], [ %103, %next50 ]
  %id.x44 = phi i32 [ %8, %guarded41 ], [ %105, %next50 ]
  %lane45 = zext i32 %x43 to i64
  %92 = getelementptr inbounds i32, ptr %kept2, i64 %lane45
  %93 = load i32, ptr %92, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !31
  %94 = getelementptr inbounds i32, ptr %kept, i64 %lane45
  %95 = load i32, ptr %94, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !31
  store i32 %95, ptr %sum, align 4
  %96 = load i32, ptr %sum, align 4
  %97 = icmp eq i32 %96, %93
  br i1 %97, label %then46, label %endif47

then46:                                           ; preds = %x42
  br label %next50

endif47:                                          ; preds = %x42
  %98 = load i32, ptr %sum, align 4
  %99 = xor i32 %98, %93
  %100 = icmp ult i32 %id.x44, %out.len
  br i1 %100, label %then48, label %endif49

then48:                                           ; preds = %endif47
  %101 = zext i32 %id.x44 to i64
  %102 = getelementptr inbounds i32, ptr %out, i64 %101
  store i32 %99, ptr %102, align 4, !alias.scope !27, !noalias !28, !llvm.access.group !31
  br label %endif49

endif49:                                          ; preds = %then48, %endif47
  br label %next50

next50:                                           ; preds = %endif49, %then46
  %103 = add nuw i32 %x43, 1
  %104 = icmp ult i32 %103, 8
  %105 = add nuw nsw i32 %id.x44, 1
  br i1 %104, label %x42, label %done51, !llvm.loop !32

done51:                                           ; preds = %next50
  br label %after52

after52:                                          ; preds = %done51, %done40
  %106 = add nuw i64 %group3, 1
  %107 = icmp ult i64 %106, %end
  br i1 %107, label %group, label %done53

done53:                                           ; preds = %after52, %entry
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
!27 = !{!4}
!28 = !{!1, !5, !6, !7}
!29 = distinct !{!29, !30}
!30 = !{!"llvm.loop.parallel_accesses", !26}
!31 = distinct !{}
!32 = distinct !{!32, !33}
!33 = !{!"llvm.loop.parallel_accesses", !31}
