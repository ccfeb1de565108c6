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
  br i1 %5, label %group, label %done34

group:                                            ; preds = %done33, %entry
  %group3 = phi i64 [ %first, %entry ], [ %65, %done33 ]
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
  br label %x

x:                                                ; preds = %endif6, %endif
  %x4 = phi i32 [ 0, %endif ], [ %21, %endif6 ]
  %id.x = phi i32 [ %8, %endif ], [ %23, %endif6 ]
  %lane = zext i32 %x4 to i64
  %12 = getelementptr inbounds i32, ptr %kept, i64 %lane
  %13 = load i32, ptr %12, align 4, !alias.scope !8, !noalias !9
  store i32 %13, ptr %sum, align 4
  %14 = icmp ult i32 %id.x, %a.len
  br i1 %14, label %then5, label %endif6

then5:                                            ; preds = %x
  %15 = zext i32 %id.x to i64
  %16 = getelementptr inbounds i32, ptr %a, i64 %15
  %17 = load i32, ptr %16, align 4, !alias.scope !0, !noalias !3
  br label %endif6

endif6:                                           ; preds = %then5, %x
  %load7 = phi i32 [ 0, %x ], [ %17, %then5 ]
  %18 = getelementptr inbounds i32, ptr %kept2, i64 %lane
  store i32 %load7, ptr %18, align 4, !alias.scope !10, !noalias !11
  store i32 %load7, ptr %sum, align 4
  %19 = load i32, ptr %sum, align 4
  %20 = getelementptr inbounds i32, ptr %kept, i64 %lane
  store i32 %19, ptr %20, align 4, !alias.scope !8, !noalias !9
  %21 = add nuw i32 %x4, 1
  %22 = icmp ult i32 %21, 8
  %23 = add nuw nsw i32 %id.x, 1
  br i1 %22, label %x, label %done

done:                                             ; preds = %endif6
  %24 = icmp ult i32 0, %load
  br i1 %24, label %loop, label %done24

loop:                                             ; preds = %done23, %done
  %loop8 = phi i32 [ 0, %done ], [ %49, %done23 ]
  br label %x9

x9:                                               ; preds = %endif14, %loop
  %x10 = phi i32 [ 0, %loop ], [ %31, %endif14 ]
  %id.x11 = phi i32 [ %8, %loop ], [ %33, %endif14 ]
  %lane12 = zext i32 %x10 to i64
  %25 = getelementptr inbounds i32, ptr %kept, i64 %lane12
  %26 = load i32, ptr %25, align 4, !alias.scope !8, !noalias !9
  store i32 %26, ptr %sum, align 4
  %27 = load i32, ptr %sum, align 4
  %28 = icmp ult i32 %x10, 8
  br i1 %28, label %then13, label %endif14

then13:                                           ; preds = %x9
  %29 = zext i32 %x10 to i64
  %30 = getelementptr inbounds i32, ptr %scratch, i64 %29
  store i32 %27, ptr %30, align 4, !alias.scope !12, !noalias !13
  br label %endif14

endif14:                                          ; preds = %then13, %x9
  %31 = add nuw i32 %x10, 1
  %32 = icmp ult i32 %31, 8
  %33 = add nuw nsw i32 %id.x11, 1
  br i1 %32, label %x9, label %done15

done15:                                           ; preds = %endif14
  br label %x16

x16:                                              ; preds = %endif21, %done15
  %x17 = phi i32 [ 0, %done15 ], [ %46, %endif21 ]
  %id.x18 = phi i32 [ %8, %done15 ], [ %48, %endif21 ]
  %lane19 = zext i32 %x17 to i64
  %34 = getelementptr inbounds i32, ptr %kept, i64 %lane19
  %35 = load i32, ptr %34, align 4, !alias.scope !8, !noalias !9
  store i32 %35, ptr %sum, align 4
  %36 = load i32, ptr %sum, align 4
  %37 = sub i32 7, %x17
  %38 = icmp ult i32 %37, 8
  br i1 %38, label %then20, label %endif21

then20:                                           ; preds = %x16
  %39 = zext i32 %37 to i64
  %40 = getelementptr inbounds i32, ptr %scratch, i64 %39
  %41 = load i32, ptr %40, align 4, !alias.scope !12, !noalias !13
  %42 = freeze i32 %41
  br label %endif21

endif21:                                          ; preds = %then20, %x16
  %load22 = phi i32 [ 0, %x16 ], [ %42, %then20 ]
  %43 = add i32 %36, %load22
  store i32 %43, ptr %sum, align 4
  %44 = load i32, ptr %sum, align 4
  %45 = getelementptr inbounds i32, ptr %kept, i64 %lane19
  store i32 %44, ptr %45, align 4, !alias.scope !8, !noalias !9
  %46 = add nuw i32 %x17, 1
  %47 = icmp ult i32 %46, 8
  %48 = add nuw nsw i32 %id.x18, 1
  br i1 %47, label %x16, label %done23

done23:                                           ; preds = %endif21
  %49 = add nuw i32 %loop8, 1
  %50 = icmp ult i32 %49, %load
  br i1 %50, label %loop, label %done24

done24:                                           ; preds = %done23, %done
  br label %x25

x25:                                              ; preds = %next, %done24
  %x26 = phi i32 [ 0, %done24 ], [ %62, %next ]
  %id.x27 = phi i32 [ %8, %done24 ], [ %64, %next ]
  %lane28 = zext i32 %x26 to i64
  %51 = getelementptr inbounds i32, ptr %kept2, i64 %lane28
  %52 = load i32, ptr %51, align 4, !alias.scope !10, !noalias !11
  %53 = getelementptr inbounds i32, ptr %kept, i64 %lane28
  %54 = load i32, ptr %53, align 4, !alias.scope !8, !noalias !9
  store i32 %54, ptr %sum, align 4
  %55 = load i32, ptr %sum, align 4
  %56 = icmp eq i32 %55, %52
  br i1 %56, label %then29, label %endif30

then29:                                           ; preds = %x25
  br label %next

endif30:                                          ; preds = %x25
  %57 = load i32, ptr %sum, align 4
  %58 = xor i32 %57, %52
  %59 = icmp ult i32 %id.x27, %out.len
  br i1 %59, label %then31, label %endif32

then31:                                           ; preds = %endif30
  %60 = zext i32 %id.x27 to i64
  %61 = getelementptr inbounds i32, ptr %out, i64 %60
  store i32 %58, ptr %61, align 4, !alias.scope !14, !noalias !15
  br label %endif32

endif32:                                          ; preds = %then31, %endif30
  br label %next

next:                                             ; preds = %endif32, %then29
  %62 = add nuw i32 %x26, 1
  %63 = icmp ult i32 %62, 8
  %64 = add nuw nsw i32 %id.x27, 1
  br i1 %63, label %x25, label %done33

done33:                                           ; preds = %next
  %65 = add nuw i64 %group3, 1
  %66 = icmp ult i64 %65, %end
  br i1 %66, label %group, label %done34

done34:                                           ; preds = %done33, %entry
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
!10 = !{!7}
!11 = !{!1, !4, !5, !6}
!12 = !{!5}
!13 = !{!1, !4, !6, !7}
!14 = !{!4}
!15 = !{!1, !5, !6, !7}
