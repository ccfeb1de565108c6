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
  br i1 %2, label %group, label %done26

group:                                            ; preds = %after25, %entry
  %group2 = phi i64 [ %first, %entry ], [ %60, %after25 ]
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
  br i1 %11, label %inside, label %guarded

inside:                                           ; preds = %group
  br label %x

x:                                                ; preds = %x, %inside
  %x3 = phi i32 [ 0, %inside ], [ %19, %x ]
  %id.x = phi i32 [ %5, %inside ], [ %21, %x ]
  %12 = zext i32 %x3 to i64
  %13 = mul i64 %12, 1
  %at = add i64 %begin, %13
  %lane = zext i32 %x3 to i64
  %14 = getelementptr inbounds i32, ptr %data, i64 %at
  %15 = load i32, ptr %14, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !5
  %16 = freeze i32 %15
  %17 = zext i32 %x3 to i64
  %18 = getelementptr inbounds i32, ptr %scratch, i64 %17
  store i32 %16, ptr %18, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !5
  %19 = add nuw i32 %x3, 1
  %20 = icmp ult i32 %19, 32
  %21 = add nuw nsw i32 %id.x, 1
  br i1 %20, label %x, label %done, !llvm.loop !6

done:                                             ; preds = %x
  br label %after

guarded:                                          ; preds = %group
  br label %x4

x4:                                               ; preds = %endif, %guarded
  %x5 = phi i32 [ 0, %guarded ], [ %29, %endif ]
  %id.x6 = phi i32 [ %5, %guarded ], [ %31, %endif ]
  %lane7 = zext i32 %x5 to i64
  %22 = icmp ult i32 %id.x6, %data.len
  br i1 %22, label %then, label %endif

then:                                             ; preds = %x4
  %23 = zext i32 %id.x6 to i64
  %24 = getelementptr inbounds i32, ptr %data, i64 %23
  %25 = load i32, ptr %24, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !8
  %26 = freeze i32 %25
  br label %endif

endif:                                            ; preds = %then, %x4
  %load = phi i32 [ 0, %x4 ], [ %26, %then ]
  %27 = zext i32 %x5 to i64
  %28 = getelementptr inbounds i32, ptr %scratch, i64 %27
  store i32 %load, ptr %28, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !8
  %29 = add nuw i32 %x5, 1
  %30 = icmp ult i32 %29, 32
  %31 = add nuw nsw i32 %id.x6, 1
  br i1 %30, label %x4, label %done8, !llvm.loop !9

done8:                                            ; preds = %endif
  br label %after

after:                                            ; preds = %done8, %done
  %32 = add nuw nsw i32 %5, 0
  %33 = zext i32 %32 to i64
  %34 = add i64 %33, 31
  %35 = zext i32 %data.len to i64
  %36 = icmp ult i64 %34, %35
  %37 = and i1 true, %36
  %begin9 = sub i64 %33, 0
  br i1 %37, label %inside10, label %guarded17

inside10:                                         ; preds = %after
  br label %x11

x11:                                              ; preds = %x11, %inside10
  %x12 = phi i32 [ 0, %inside10 ], [ %46, %x11 ]
  %id.x13 = phi i32 [ %5, %inside10 ], [ %48, %x11 ]
  %38 = zext i32 %x12 to i64
  %39 = mul i64 %38, 1
  %at15 = add i64 %begin9, %39
  %lane14 = zext i32 %x12 to i64
  %40 = sub i32 31, %x12
  %41 = zext i32 %40 to i64
  %42 = getelementptr inbounds i32, ptr %scratch, i64 %41
  %43 = load i32, ptr %42, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !11
  %44 = freeze i32 %43
  %45 = getelementptr inbounds i32, ptr %data, i64 %at15
  store i32 %44, ptr %45, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !11
  %46 = add nuw i32 %x12, 1
  %47 = icmp ult i32 %46, 32
  %48 = add nuw nsw i32 %id.x13, 1
  br i1 %47, label %x11, label %done16, !llvm.loop !12

done16:                                           ; preds = %x11
  br label %after25

guarded17:                                        ; preds = %after
  br label %x18

x18:                                              ; preds = %endif23, %guarded17
  %x19 = phi i32 [ 0, %guarded17 ], [ %57, %endif23 ]
  %id.x20 = phi i32 [ %5, %guarded17 ], [ %59, %endif23 ]
  %lane21 = zext i32 %x19 to i64
  %49 = sub i32 31, %x19
  %50 = zext i32 %49 to i64
  %51 = getelementptr inbounds i32, ptr %scratch, i64 %50
  %52 = load i32, ptr %51, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !14
  %53 = freeze i32 %52
  %54 = icmp ult i32 %id.x20, %data.len
  br i1 %54, label %then22, label %endif23

then22:                                           ; preds = %x18
  %55 = zext i32 %id.x20 to i64
  %56 = getelementptr inbounds i32, ptr %data, i64 %55
  store i32 %53, ptr %56, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !14
  br label %endif23

endif23:                                          ; preds = %then22, %x18
  %57 = add nuw i32 %x19, 1
  %58 = icmp ult i32 %57, 32
  %59 = add nuw nsw i32 %id.x20, 1
  br i1 %58, label %x18, label %done24, !llvm.loop !15

done24:                                           ; preds = %endif23
  br label %after25

after25:                                          ; preds = %done24, %done16
  %60 = add nuw i64 %group2, 1
  %61 = icmp ult i64 %60, %end
  br i1 %61, label %group, label %done26

done26:                                           ; preds = %after25, %entry
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
