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
  br i1 %5, label %group, label %done47

group:                                            ; preds = %after46, %entry
  %group3 = phi i64 [ %first, %entry ], [ %103, %after46 ]
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
  br i1 %42, label %loop, label %done24

loop:                                             ; preds = %done23, %after
  %loop13 = phi i32 [ 0, %after ], [ %67, %done23 ]
  %43 = add nuw nsw i32 %8, 0
  br label %x14

x14:                                              ; preds = %x14, %loop
  %x15 = phi i32 [ 0, %loop ], [ %49, %x14 ]
  %id.x16 = phi i32 [ %8, %loop ], [ %51, %x14 ]
  %lane17 = zext i32 %x15 to i64
  %44 = getelementptr inbounds i32, ptr %kept, i64 %lane17
  %45 = load i32, ptr %44, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !18
  store i32 %45, ptr %sum, align 4
  %46 = load i32, ptr %sum, align 4
  %47 = zext i32 %x15 to i64
  %48 = getelementptr inbounds i32, ptr %scratch, i64 %47
  store i32 %46, ptr %48, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !18
  %49 = add nuw i32 %x15, 1
  %50 = icmp ult i32 %49, 8
  %51 = add nuw nsw i32 %id.x16, 1
  br i1 %50, label %x14, label %done18, !llvm.loop !21

done18:                                           ; preds = %x14
  %52 = add nuw nsw i32 %8, 0
  br label %x19

x19:                                              ; preds = %x19, %done18
  %x20 = phi i32 [ 0, %done18 ], [ %64, %x19 ]
  %id.x21 = phi i32 [ %8, %done18 ], [ %66, %x19 ]
  %lane22 = zext i32 %x20 to i64
  %53 = getelementptr inbounds i32, ptr %kept, i64 %lane22
  %54 = load i32, ptr %53, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !23
  store i32 %54, ptr %sum, align 4
  %55 = load i32, ptr %sum, align 4
  %56 = sub i32 7, %x20
  %57 = zext i32 %56 to i64
  %58 = getelementptr inbounds i32, ptr %scratch, i64 %57
  %59 = load i32, ptr %58, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !23
  %60 = freeze i32 %59
  %61 = add i32 %55, %60
  store i32 %61, ptr %sum, align 4
  %62 = load i32, ptr %sum, align 4
  %63 = getelementptr inbounds i32, ptr %kept, i64 %lane22
  store i32 %62, ptr %63, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !23
  %64 = add nuw i32 %x20, 1
  %65 = icmp ult i32 %64, 8
  %66 = add nuw nsw i32 %id.x21, 1
  br i1 %65, label %x19, label %done23, !llvm.loop !24

done23:                                           ; preds = %x19
  %67 = add nuw i32 %loop13, 1
  %68 = icmp ult i32 %67, %load
  br i1 %68, label %loop, label %done24

done24:                                           ; preds = %done23, %after
  %69 = add nuw nsw i32 %8, 0
  %70 = zext i32 %69 to i64
  %71 = add i64 %70, 7
  %72 = zext i32 %out.len to i64
  %73 = icmp ult i64 %71, %72
  %74 = and i1 true, %73
  %begin25 = sub i64 %70, 0
  br i1 %74, label %inside26, label %guarded35

inside26:                                         ; preds = %done24
  br label %x27

x27:                                              ; preds = %next, %inside26
  %x28 = phi i32 [ 0, %inside26 ], [ %86, %next ]
  %id.x29 = phi i32 [ %8, %inside26 ], [ %88, %next ]
  %75 = zext i32 %x28 to i64
  %76 = mul i64 %75, 1
  %at33 = add i64 %begin25, %76
  %lane30 = zext i32 %x28 to i64
  %77 = getelementptr inbounds i32, ptr %kept2, i64 %lane30
  %78 = load i32, ptr %77, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !26
  %79 = getelementptr inbounds i32, ptr %kept, i64 %lane30
  %80 = load i32, ptr %79, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !26
  store i32 %80, ptr %sum, align 4
  %81 = load i32, ptr %sum, align 4
  %82 = icmp eq i32 %81, %78
  br i1 %82, label %then31, label %endif32

then31:                                           ; preds = %x27
  br label %next

endif32:                                          ; preds = %x27
  %83 = load i32, ptr %sum, align 4
  %84 = xor i32 %83, %78
  %85 = getelementptr inbounds i32, ptr %out, i64 %at33
  store i32 %84, ptr %85, align 4, !alias.scope !27, !noalias !28, !llvm.access.group !26
  br label %next

next:                                             ; preds = %endif32, %then31
  %86 = add nuw i32 %x28, 1
  %87 = icmp ult i32 %86, 8
  %88 = add nuw nsw i32 %id.x29, 1
  br i1 %87, label %x27, label %done34, !llvm.loop !29

done34:                                           ; preds = %next
  br label %after46

guarded35:                                        ; preds = %done24
  br label %x36

x36:                                              ; preds = %next44, %guarded35
  %x37 = phi i32 [ 0, %guarded35 ], [ %100, %next44 ]
  %id.x38 = phi i32 [ %8, %guarded35 ], [ %102, %next44 ]
  %lane39 = zext i32 %x37 to i64
  %89 = getelementptr inbounds i32, ptr %kept2, i64 %lane39
  %90 = load i32, ptr %89, align 4, !alias.scope !11, !noalias !12, !llvm.access.group !31
  %91 = getelementptr inbounds i32, ptr %kept, i64 %lane39
  %92 = load i32, ptr %91, align 4, !alias.scope !8, !noalias !9, !llvm.access.group !31
  store i32 %92, ptr %sum, align 4
  %93 = load i32, ptr %sum, align 4
  %94 = icmp eq i32 %93, %90
  br i1 %94, label %then40, label %endif41

then40:                                           ; preds = %x36
  br label %next44

endif41:                                          ; preds = %x36
  %95 = load i32, ptr %sum, align 4
  %96 = xor i32 %95, %90
  %97 = icmp ult i32 %id.x38, %out.len
  br i1 %97, label %then42, label %endif43

then42:                                           ; preds = %endif41
  %98 = zext i32 %id.x38 to i64
  %99 = getelementptr inbounds i32, ptr %out, i64 %98
  store i32 %96, ptr %99, align 4, !alias.scope !27, !noalias !28, !llvm.access.group !31
  br label %endif43

endif43:                                          ; preds = %then42, %endif41
  br label %next44

next44:                                           ; preds = %endif43, %then40
  %100 = add nuw i32 %x37, 1
  %101 = icmp ult i32 %100, 8
  %102 = add nuw nsw i32 %id.x38, 1
  br i1 %101, label %x36, label %done45, !llvm.loop !32

done45:                                           ; preds = %next44
  br label %after46

after46:                                          ; preds = %done45, %done34
  %103 = add nuw i64 %group3, 1
  %104 = icmp ult i64 %103, %end
  br i1 %104, label %group, label %done47

done47:                                           ; preds = %after46, %entry
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
