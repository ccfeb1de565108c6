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
  %live = getelementptr inbounds i8, ptr %scratch, i64 0
  %any_live = alloca i32, align 4
  %end = add i64 %first, %count
  %9 = icmp ult i64 %first, %end
  br i1 %9, label %run, label %finish

run:                                              ; preds = %entry
  br label %group

group:                                            ; preds = %next28, %run
  %group4 = phi i64 [ %first, %run ], [ %52, %next28 ]
  %10 = zext i32 %groups1 to i64
  %11 = urem i64 %group4, %10
  %group.x = trunc i64 %11 to i32
  %12 = mul nuw nsw i32 %group.x, 4
  br label %lane

lane:                                             ; preds = %next, %group
  %lane5 = phi i64 [ 0, %group ], [ %14, %next ]
  %13 = getelementptr inbounds i32, ptr %live, i64 %lane5
  store i32 1, ptr %13, align 4, !alias.scope !0, !noalias !3
  br label %next

next:                                             ; preds = %lane
  %14 = add nuw i64 %lane5, 1
  %15 = icmp ult i64 %14, 4
  br i1 %15, label %lane, label %done

done:                                             ; preds = %next
  %16 = icmp ult i32 %group.x, %a.len
  %17 = zext i1 %16 to i32
  br i1 %16, label %then, label %endif

then:                                             ; preds = %done
  %18 = zext i32 %group.x to i64
  %19 = getelementptr inbounds i32, ptr %a, i64 %18
  %20 = load i32, ptr %19, align 4, !alias.scope !6, !noalias !7
  br label %endif

endif:                                            ; preds = %then, %done
  %load = phi i32 [ 0, %done ], [ %20, %then ]
  %21 = icmp eq i32 %load, 0
  %22 = zext i1 %21 to i32
  store i32 0, ptr %any_live, align 4
  br label %x

x:                                                ; preds = %next10, %endif
  %x6 = phi i32 [ 0, %endif ], [ %25, %next10 ]
  %id.x = phi i32 [ %12, %endif ], [ %24, %next10 ]
  %lane7 = zext i32 %x6 to i64
  br i1 %21, label %then8, label %endif9

then8:                                            ; preds = %x
  %23 = getelementptr inbounds i32, ptr %live, i64 %lane7
  store i32 0, ptr %23, align 4, !alias.scope !0, !noalias !3
  br label %next10

endif9:                                           ; preds = %x
  store i32 1, ptr %any_live, align 4
  br label %next10

next10:                                           ; preds = %endif9, %then8
  %24 = add nuw nsw i32 %id.x, 1
  %25 = add nuw i32 %x6, 1
  %26 = icmp ult i32 %25, 4
  br i1 %26, label %x, label %done11

done11:                                           ; preds = %next10
  %27 = load i32, ptr %any_live, align 4
  %28 = icmp ne i32 %27, 0
  br i1 %28, label %on, label %next28

on:                                               ; preds = %done11
  %29 = icmp eq i32 %group.x, 1
  %30 = zext i1 %29 to i32
  store i32 0, ptr %any_live, align 4
  br label %x12

x12:                                              ; preds = %next25, %on
  %x13 = phi i32 [ 0, %on ], [ %48, %next25 ]
  %id.x14 = phi i32 [ %12, %on ], [ %47, %next25 ]
  %lane15 = zext i32 %x13 to i64
  %31 = getelementptr inbounds i32, ptr %live, i64 %lane15
  %32 = load i32, ptr %31, align 4, !alias.scope !0, !noalias !3
  %33 = icmp ne i32 %32, 0
  br i1 %33, label %alive, label %next25

alive:                                            ; preds = %x12
  %34 = icmp ult i32 %x13, %a.len
  %35 = zext i1 %34 to i32
  br i1 %34, label %then16, label %endif17

then16:                                           ; preds = %alive
  %36 = zext i32 %x13 to i64
  %37 = getelementptr inbounds i32, ptr %a, i64 %36
  %38 = load i32, ptr %37, align 4, !alias.scope !6, !noalias !7
  br label %endif17

endif17:                                          ; preds = %then16, %alive
  %load18 = phi i32 [ 0, %alive ], [ %38, %then16 ]
  %39 = icmp eq i32 %load18, 1
  %40 = zext i1 %39 to i32
  br i1 %39, label %then19, label %endif20

then19:                                           ; preds = %endif17
  %41 = getelementptr inbounds i32, ptr %live, i64 %lane15
  store i32 0, ptr %41, align 4, !alias.scope !0, !noalias !3
  br label %next25

endif20:                                          ; preds = %endif17
  br i1 %29, label %then21, label %endif22

then21:                                           ; preds = %endif20
  %42 = getelementptr inbounds i32, ptr %live, i64 %lane15
  store i32 0, ptr %42, align 4, !alias.scope !0, !noalias !3
  br label %next25

endif22:                                          ; preds = %endif20
  %43 = icmp ult i32 %id.x14, %out.len
  %44 = zext i1 %43 to i32
  br i1 %43, label %then23, label %endif24

then23:                                           ; preds = %endif22
  %45 = zext i32 %id.x14 to i64
  %46 = getelementptr inbounds i32, ptr %out, i64 %45
  store i32 1, ptr %46, align 4, !alias.scope !8, !noalias !9
  br label %endif24

endif24:                                          ; preds = %then23, %endif22
  store i32 1, ptr %any_live, align 4
  br label %next25

next25:                                           ; preds = %endif24, %then21, %then19, %x12
  %47 = add nuw nsw i32 %id.x14, 1
  %48 = add nuw i32 %x13, 1
  %49 = icmp ult i32 %48, 4
  br i1 %49, label %x12, label %done26

done26:                                           ; preds = %next25
  %50 = load i32, ptr %any_live, align 4
  %51 = icmp ne i32 %50, 0
  br i1 %51, label %on27, label %next28

on27:                                             ; preds = %done26
  br label %next28

next28:                                           ; preds = %on27, %done26, %done11
  %52 = add nuw i64 %group4, 1
  %53 = icmp ult i64 %52, %end
  br i1 %53, label %group, label %done29

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
