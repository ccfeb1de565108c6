; ModuleID = 'returns'
source_filename = "returns"

; Function Attrs: mustprogress nounwind willreturn
define void @returns(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %0 = getelementptr inbounds i8, ptr %buffers, i64 0
  %a = load ptr, ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %1, align 8
  %a.len = trunc i64 %2 to i32
  %3 = getelementptr inbounds i8, ptr %buffers, i64 16
  %out = load ptr, ptr %3, align 8
  %4 = getelementptr inbounds i8, ptr %3, i64 8
  %5 = load i64, ptr %4, align 8
  %out.len = trunc i64 %5 to i32
  %6 = getelementptr inbounds i32, ptr %groups, i64 0
  %groups1 = load i32, ptr %6, align 4
  %7 = getelementptr inbounds i32, ptr %groups, i64 1
  %groups2 = load i32, ptr %7, align 4
  %8 = getelementptr inbounds i32, ptr %groups, i64 2
  %groups3 = load i32, ptr %8, align 4
  %load = alloca i32, align 4
  %load4 = alloca i32, align 4
  %live = getelementptr inbounds i8, ptr %scratch, i64 0
  %any_live = alloca i32, align 4
  %end = add i64 %first, %count
  %9 = icmp ult i64 %first, %end
  br i1 %9, label %run, label %finish

run:                                              ; preds = %entry
  br label %group

group:                                            ; preds = %next28, %run
  %group5 = phi i64 [ %first, %run ], [ %54, %next28 ]
  %10 = zext i32 %groups1 to i64
  %11 = urem i64 %group5, %10
  %group.x = trunc i64 %11 to i32
  %12 = mul nuw nsw i32 %group.x, 4
  br label %lane

lane:                                             ; preds = %next, %group
  %lane6 = phi i64 [ 0, %group ], [ %14, %next ]
  %13 = getelementptr inbounds i32, ptr %live, i64 %lane6
  store i32 1, ptr %13, align 4, !alias.scope !0, !noalias !3
  br label %next

next:                                             ; preds = %lane
  %14 = add nuw i64 %lane6, 1
  %15 = icmp ult i64 %14, 4
  br i1 %15, label %lane, label %done

done:                                             ; preds = %next
  store i32 0, ptr %load, align 4
  %16 = icmp ult i32 %group.x, %a.len
  %17 = zext i1 %16 to i32
  br i1 %16, label %then, label %endif

then:                                             ; preds = %done
  %18 = zext i32 %group.x to i64
  %19 = getelementptr inbounds i32, ptr %a, i64 %18
  %20 = load i32, ptr %19, align 4, !alias.scope !6, !noalias !7
  store i32 %20, ptr %load, align 4
  br label %endif

endif:                                            ; preds = %then, %done
  %21 = load i32, ptr %load, align 4
  %22 = icmp eq i32 %21, 0
  %23 = zext i1 %22 to i32
  store i32 0, ptr %any_live, align 4
  br label %x

x:                                                ; preds = %next11, %endif
  %x7 = phi i32 [ 0, %endif ], [ %26, %next11 ]
  %id.x = phi i32 [ %12, %endif ], [ %25, %next11 ]
  %lane8 = zext i32 %x7 to i64
  br i1 %22, label %then9, label %endif10

then9:                                            ; preds = %x
  %24 = getelementptr inbounds i32, ptr %live, i64 %lane8
  store i32 0, ptr %24, align 4, !alias.scope !0, !noalias !3
  br label %next11

endif10:                                          ; preds = %x
  store i32 1, ptr %any_live, align 4
  br label %next11

next11:                                           ; preds = %endif10, %then9
  %25 = add nuw nsw i32 %id.x, 1
  %26 = add nuw i32 %x7, 1
  %27 = icmp ult i32 %26, 4
  br i1 %27, label %x, label %done12

done12:                                           ; preds = %next11
  %28 = load i32, ptr %any_live, align 4
  %29 = icmp ne i32 %28, 0
  br i1 %29, label %on, label %next28

on:                                               ; preds = %done12
  %30 = icmp eq i32 %group.x, 1
  %31 = zext i1 %30 to i32
  store i32 0, ptr %any_live, align 4
  br label %x13

x13:                                              ; preds = %next25, %on
  %x14 = phi i32 [ 0, %on ], [ %50, %next25 ]
  %id.x15 = phi i32 [ %12, %on ], [ %49, %next25 ]
  %lane16 = zext i32 %x14 to i64
  %32 = getelementptr inbounds i32, ptr %live, i64 %lane16
  %33 = load i32, ptr %32, align 4, !alias.scope !0, !noalias !3
  %34 = icmp ne i32 %33, 0
  br i1 %34, label %alive, label %next25

alive:                                            ; preds = %x13
  store i32 0, ptr %load4, align 4
  %35 = icmp ult i32 %x14, %a.len
  %36 = zext i1 %35 to i32
  br i1 %35, label %then17, label %endif18

then17:                                           ; preds = %alive
  %37 = zext i32 %x14 to i64
  %38 = getelementptr inbounds i32, ptr %a, i64 %37
  %39 = load i32, ptr %38, align 4, !alias.scope !6, !noalias !7
  store i32 %39, ptr %load4, align 4
  br label %endif18

endif18:                                          ; preds = %then17, %alive
  %40 = load i32, ptr %load4, align 4
  %41 = icmp eq i32 %40, 1
  %42 = zext i1 %41 to i32
  br i1 %41, label %then19, label %endif20

then19:                                           ; preds = %endif18
  %43 = getelementptr inbounds i32, ptr %live, i64 %lane16
  store i32 0, ptr %43, align 4, !alias.scope !0, !noalias !3
  br label %next25

endif20:                                          ; preds = %endif18
  br i1 %30, label %then21, label %endif22

then21:                                           ; preds = %endif20
  %44 = getelementptr inbounds i32, ptr %live, i64 %lane16
  store i32 0, ptr %44, align 4, !alias.scope !0, !noalias !3
  br label %next25

endif22:                                          ; preds = %endif20
  %45 = icmp ult i32 %id.x15, %out.len
  %46 = zext i1 %45 to i32
  br i1 %45, label %then23, label %endif24

then23:                                           ; preds = %endif22
  %47 = zext i32 %id.x15 to i64
  %48 = getelementptr inbounds i32, ptr %out, i64 %47
  store i32 1, ptr %48, align 4, !alias.scope !8, !noalias !9
  br label %endif24

endif24:                                          ; preds = %then23, %endif22
  store i32 1, ptr %any_live, align 4
  br label %next25

next25:                                           ; preds = %endif24, %then21, %then19, %x13
  %49 = add nuw nsw i32 %id.x15, 1
  %50 = add nuw i32 %x14, 1
  %51 = icmp ult i32 %50, 4
  br i1 %51, label %x13, label %done26

done26:                                           ; preds = %next25
  %52 = load i32, ptr %any_live, align 4
  %53 = icmp ne i32 %52, 0
  br i1 %53, label %on27, label %next28

on27:                                             ; preds = %done26
  br label %next28

next28:                                           ; preds = %on27, %done26, %done12
  %54 = add nuw i64 %group5, 1
  %55 = icmp ult i64 %54, %end
  br i1 %55, label %group, label %done29

done29:                                           ; preds = %next28
  br label %finish

finish:                                           ; preds = %done29, %entry
  ret void
}

attributes #0 = { mustprogress nounwind willreturn }

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
