; ModuleID = 'reverse'
source_filename = "reverse"

; Function Attrs: mustprogress nounwind willreturn
define void @reverse(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %data = load ptr, ptr %buffers, align 8
  %0 = getelementptr inbounds i8, ptr %buffers, i64 8
  %1 = load i64, ptr %0, align 8
  %data.len = trunc i64 %1 to i32
  %groups1 = load i32, ptr %groups, align 4
  %end = add i64 %first, %count
  %2 = icmp ult i64 %first, %end
  br i1 %2, label %group, label %done35

group:                                            ; preds = %after34, %entry
  %group2 = phi i64 [ %first, %entry ], [ %65, %after34 ]
  %3 = zext i32 %groups1 to i64
  %4 = urem i64 %group2, %3
  %group.x = trunc i64 %4 to i32
  %5 = mul nuw nsw i32 %group.x, 32
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 128, i1 false)
  %6 = add nuw nsw i32 %5, 0
  %7 = zext i32 %6 to i64
  %8 = add i64 %7, 31
  %9 = zext i32 %data.len to i64
  %10 = icmp ult i64 %8, %9
  %11 = and i1 true, %10
  %begin = sub i64 %7, 0
  %12 = and i1 %11, true
  br i1 %12, label %inside, label %guarded

inside:                                           ; preds = %group
  br label %x

x:                                                ; preds = %x, %inside
  %x3 = phi i32 [ 0, %inside ], [ %21, %x ]
  %id.x = phi i32 [ %5, %inside ], [ %23, %x ]
  %13 = zext i32 %x3 to i64
  %14 = mul i64 %13, 1
  %at4 = add i64 0, %14
  %15 = zext i32 %x3 to i64
  %16 = mul i64 %15, 1
  %at = add i64 %begin, %16
  %lane = zext i32 %x3 to i64
  %17 = getelementptr inbounds i32, ptr %data, i64 %at
  %18 = load i32, ptr %17, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !5
  %19 = freeze i32 %18
  %20 = getelementptr inbounds i32, ptr %scratch, i64 %at4
  store i32 %19, ptr %20, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !5
  %21 = add nuw i32 %x3, 1
  %22 = icmp ult i32 %21, 32
  %23 = add nuw nsw i32 %id.x, 1
  br i1 %22, label %x, label %done, !llvm.loop !6

done:                                             ; preds = %x
  br label %after

guarded:                                          ; preds = %group
  br label %x5

x5:                                               ; preds = %endif10, %guarded
  %x6 = phi i32 [ 0, %guarded ], [ %32, %endif10 ]
  %id.x7 = phi i32 [ %5, %guarded ], [ %34, %endif10 ]
  %lane8 = zext i32 %x6 to i64
  %24 = icmp ult i32 %id.x7, %data.len
  br i1 %24, label %then, label %endif

then:                                             ; preds = %x5
  %25 = zext i32 %id.x7 to i64
  %26 = getelementptr inbounds i32, ptr %data, i64 %25
  %27 = load i32, ptr %26, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !8
  %28 = freeze i32 %27
  br label %endif

endif:                                            ; preds = %then, %x5
  %load = phi i32 [ 0, %x5 ], [ %28, %then ]
  %29 = icmp ult i32 %x6, 32
  br i1 %29, label %then9, label %endif10

then9:                                            ; preds = %endif
  %30 = zext i32 %x6 to i64
  %31 = getelementptr inbounds i32, ptr %scratch, i64 %30
  store i32 %load, ptr %31, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !8
  br label %endif10

endif10:                                          ; preds = %then9, %endif
  %32 = add nuw i32 %x6, 1
  %33 = icmp ult i32 %32, 32
  %34 = add nuw nsw i32 %id.x7, 1
  br i1 %33, label %x5, label %done11, !llvm.loop !9

done11:                                           ; preds = %endif10
  br label %after

after:                                            ; preds = %done11, %done
  %35 = add nuw nsw i32 %5, 0
  %36 = zext i32 %35 to i64
  %37 = add i64 %36, 31
  %38 = zext i32 %data.len to i64
  %39 = icmp ult i64 %37, %38
  %40 = and i1 true, %39
  %begin12 = sub i64 %36, 0
  br i1 %40, label %inside13, label %guarded23

inside13:                                         ; preds = %after
  br label %x14

x14:                                              ; preds = %endif19, %inside13
  %x15 = phi i32 [ 0, %inside13 ], [ %50, %endif19 ]
  %id.x16 = phi i32 [ %5, %inside13 ], [ %52, %endif19 ]
  %41 = zext i32 %x15 to i64
  %42 = mul i64 %41, 1
  %at21 = add i64 %begin12, %42
  %lane17 = zext i32 %x15 to i64
  %43 = sub i32 31, %x15
  %44 = icmp ult i32 %43, 32
  br i1 %44, label %then18, label %endif19

then18:                                           ; preds = %x14
  %45 = zext i32 %43 to i64
  %46 = getelementptr inbounds i32, ptr %scratch, i64 %45
  %47 = load i32, ptr %46, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !11
  %48 = freeze i32 %47
  br label %endif19

endif19:                                          ; preds = %then18, %x14
  %load20 = phi i32 [ 0, %x14 ], [ %48, %then18 ]
  %49 = getelementptr inbounds i32, ptr %data, i64 %at21
  store i32 %load20, ptr %49, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !11
  %50 = add nuw i32 %x15, 1
  %51 = icmp ult i32 %50, 32
  %52 = add nuw nsw i32 %id.x16, 1
  br i1 %51, label %x14, label %done22, !llvm.loop !12

done22:                                           ; preds = %endif19
  br label %after34

guarded23:                                        ; preds = %after
  br label %x24

x24:                                              ; preds = %endif32, %guarded23
  %x25 = phi i32 [ 0, %guarded23 ], [ %62, %endif32 ]
  %id.x26 = phi i32 [ %5, %guarded23 ], [ %64, %endif32 ]
  %lane27 = zext i32 %x25 to i64
  %53 = sub i32 31, %x25
  %54 = icmp ult i32 %53, 32
  br i1 %54, label %then28, label %endif29

then28:                                           ; preds = %x24
  %55 = zext i32 %53 to i64
  %56 = getelementptr inbounds i32, ptr %scratch, i64 %55
  %57 = load i32, ptr %56, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !14
  %58 = freeze i32 %57
  br label %endif29

endif29:                                          ; preds = %then28, %x24
  %load30 = phi i32 [ 0, %x24 ], [ %58, %then28 ]
  %59 = icmp ult i32 %id.x26, %data.len
  br i1 %59, label %then31, label %endif32

then31:                                           ; preds = %endif29
  %60 = zext i32 %id.x26 to i64
  %61 = getelementptr inbounds i32, ptr %data, i64 %60
  store i32 %load30, ptr %61, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !14
  br label %endif32

endif32:                                          ; preds = %then31, %endif29
  %62 = add nuw i32 %x25, 1
  %63 = icmp ult i32 %62, 32
  %64 = add nuw nsw i32 %id.x26, 1
  br i1 %63, label %x24, label %done33, !llvm.loop !15

done33:                                           ; preds = %endif32
  br label %after34

after34:                                          ; preds = %done33, %done22
  %65 = add nuw i64 %group2, 1
  %66 = icmp ult i64 %65, %end
  br i1 %66, label %group, label %done35

done35:                                           ; preds = %after34, %entry
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"reverse"}
!3 = !{!4}
!4 = distinct !{!4, !2}
!5 = distinct !{}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.parallel_accesses", !5}
!8 = distinct !{}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.parallel_accesses", !8}
!11 = distinct !{}
!12 = distinct !{!12, !13}
!13 = !{!"llvm.loop.parallel_accesses", !11}
!14 = distinct !{}
!15 = distinct !{!15, !16}
!16 = !{!"llvm.loop.parallel_accesses", !14}
