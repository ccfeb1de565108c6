; ModuleID = 'returns'
source_filename = "returns"

; Function Attrs: mustprogress nounwind willreturn
define void @returns(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
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
  %any_live = alloca i32, align 4
  %end = add i64 %first, %count
  %5 = icmp ult i64 %first, %end
  br i1 %5, label %group, label %done26

group:                                            ; preds = %next25, %entry
  %group2 = phi i64 [ %first, %entry ], [ %42, %next25 ]
  %6 = zext i32 %groups1 to i64
  %7 = urem i64 %group2, %6
  %group.x = trunc i64 %7 to i32
  %8 = mul nuw nsw i32 %group.x, 4
  br label %lane

lane:                                             ; preds = %lane, %group
  %lane3 = phi i64 [ 0, %group ], [ %10, %lane ]
  %9 = getelementptr inbounds i32, ptr %scratch, i64 %lane3
  store i32 1, ptr %9, align 4, !alias.scope !0, !noalias !3
  %10 = add nuw i64 %lane3, 1
  %11 = icmp ult i64 %10, 4
  br i1 %11, label %lane, label %done

done:                                             ; preds = %lane
  %12 = icmp ult i32 %group.x, %a.len
  br i1 %12, label %then, label %endif

then:                                             ; preds = %done
  %13 = zext i32 %group.x to i64
  %14 = getelementptr inbounds i32, ptr %a, i64 %13
  %15 = load i32, ptr %14, align 4, !alias.scope !6, !noalias !7
  br label %endif

endif:                                            ; preds = %then, %done
  %load = phi i32 [ 0, %done ], [ %15, %then ]
  %16 = icmp eq i32 %load, 0
  store i32 0, ptr %any_live, align 4
  br label %x

x:                                                ; preds = %next, %endif
  %x4 = phi i32 [ 0, %endif ], [ %18, %next ]
  %id.x = phi i32 [ %8, %endif ], [ %20, %next ]
  %lane5 = zext i32 %x4 to i64
  br i1 %16, label %then6, label %endif7

then6:                                            ; preds = %x
  %17 = getelementptr inbounds i32, ptr %scratch, i64 %lane5
  store i32 0, ptr %17, align 4, !alias.scope !0, !noalias !3
  br label %next

endif7:                                           ; preds = %x
  store i32 1, ptr %any_live, align 4
  br label %next

next:                                             ; preds = %endif7, %then6
  %18 = add nuw i32 %x4, 1
  %19 = icmp ult i32 %18, 4
  %20 = add nuw nsw i32 %id.x, 1
  br i1 %19, label %x, label %done8

done8:                                            ; preds = %next
  %21 = load i32, ptr %any_live, align 4
  %22 = icmp ne i32 %21, 0
  br i1 %22, label %on, label %next25

on:                                               ; preds = %done8
  %23 = icmp eq i32 %group.x, 1
  store i32 0, ptr %any_live, align 4
  br label %x9

x9:                                               ; preds = %next22, %on
  %x10 = phi i32 [ 0, %on ], [ %37, %next22 ]
  %id.x11 = phi i32 [ %8, %on ], [ %39, %next22 ]
  %lane12 = zext i32 %x10 to i64
  %24 = getelementptr inbounds i32, ptr %scratch, i64 %lane12
  %25 = load i32, ptr %24, align 4, !alias.scope !0, !noalias !3
  %26 = icmp ne i32 %25, 0
  br i1 %26, label %alive, label %next22

alive:                                            ; preds = %x9
  %27 = icmp ult i32 %x10, %a.len
  br i1 %27, label %then13, label %endif14

then13:                                           ; preds = %alive
  %28 = zext i32 %x10 to i64
  %29 = getelementptr inbounds i32, ptr %a, i64 %28
  %30 = load i32, ptr %29, align 4, !alias.scope !6, !noalias !7
  br label %endif14

endif14:                                          ; preds = %then13, %alive
  %load15 = phi i32 [ 0, %alive ], [ %30, %then13 ]
  %31 = icmp eq i32 %load15, 1
  br i1 %31, label %then16, label %endif17

then16:                                           ; preds = %endif14
  %32 = getelementptr inbounds i32, ptr %scratch, i64 %lane12
  store i32 0, ptr %32, align 4, !alias.scope !0, !noalias !3
  br label %next22

endif17:                                          ; preds = %endif14
  br i1 %23, label %then18, label %endif19

then18:                                           ; preds = %endif17
  %33 = getelementptr inbounds i32, ptr %scratch, i64 %lane12
  store i32 0, ptr %33, align 4, !alias.scope !0, !noalias !3
  br label %next22

endif19:                                          ; preds = %endif17
  %34 = icmp ult i32 %id.x11, %out.len
  br i1 %34, label %then20, label %endif21

then20:                                           ; preds = %endif19
  %35 = zext i32 %id.x11 to i64
  %36 = getelementptr inbounds i32, ptr %out, i64 %35
  store i32 1, ptr %36, align 4, !alias.scope !8, !noalias !9
  br label %endif21

endif21:                                          ; preds = %then20, %endif19
  store i32 1, ptr %any_live, align 4
  br label %next22

next22:                                           ; preds = %endif21, %then18, %then16, %x9
  %37 = add nuw i32 %x10, 1
  %38 = icmp ult i32 %37, 4
  %39 = add nuw nsw i32 %id.x11, 1
  br i1 %38, label %x9, label %done23

done23:                                           ; preds = %next22
  %40 = load i32, ptr %any_live, align 4
  %41 = icmp ne i32 %40, 0
  br i1 %41, label %on24, label %next25

on24:                                             ; preds = %done23
  br label %next25

next25:                                           ; preds = %on24, %done23, %done8
  %42 = add nuw i64 %group2, 1
  %43 = icmp ult i64 %42, %end
  br i1 %43, label %group, label %done26

done26:                                           ; preds = %next25, %entry
  ret void
}

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"returns"}
!3 = !{!4, !5}
!4 = distinct !{!4, !2}
!5 = distinct !{!5, !2}
!6 = !{!4}
!7 = !{!5, !1}
!8 = !{!5}
!9 = !{!4, !1}
