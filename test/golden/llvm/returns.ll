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
  br i1 %5, label %group, label %done38

group:                                            ; preds = %next37, %entry
  %group2 = phi i64 [ %first, %entry ], [ %68, %next37 ]
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
  %17 = add nuw nsw i32 %8, 0
  br label %x

x:                                                ; preds = %next, %endif
  %x4 = phi i32 [ 0, %endif ], [ %19, %next ]
  %id.x = phi i32 [ %8, %endif ], [ %21, %next ]
  %lane5 = zext i32 %x4 to i64
  br i1 %16, label %then6, label %endif7

then6:                                            ; preds = %x
  %18 = getelementptr inbounds i32, ptr %scratch, i64 %lane5
  store i32 0, ptr %18, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !8
  br label %next

endif7:                                           ; preds = %x
  store i32 1, ptr %any_live, align 4
  br label %next

next:                                             ; preds = %endif7, %then6
  %19 = add nuw i32 %x4, 1
  %20 = icmp ult i32 %19, 4
  %21 = add nuw nsw i32 %id.x, 1
  br i1 %20, label %x, label %done8, !llvm.loop !9

done8:                                            ; preds = %next
  %22 = load i32, ptr %any_live, align 4
  %23 = icmp ne i32 %22, 0
  br i1 %23, label %on, label %next37

on:                                               ; preds = %done8
  %24 = icmp eq i32 %group.x, 1
  store i32 0, ptr %any_live, align 4
  %25 = add nuw nsw i32 %8, 0
  %26 = zext i32 %a.len to i64
  %27 = icmp ult i64 3, %26
  %28 = and i1 true, %27
  %29 = zext i32 %25 to i64
  %30 = add i64 %29, 3
  %31 = zext i32 %out.len to i64
  %32 = icmp ult i64 %30, %31
  %33 = and i1 %28, %32
  %begin = sub i64 %29, 0
  br i1 %33, label %inside, label %guarded

inside:                                           ; preds = %on
  br label %x9

x9:                                               ; preds = %next18, %inside
  %x10 = phi i32 [ 0, %inside ], [ %47, %next18 ]
  %id.x11 = phi i32 [ %8, %inside ], [ %49, %next18 ]
  %34 = zext i32 %x10 to i64
  %35 = mul i64 %34, 1
  %at17 = add i64 %begin, %35
  %36 = zext i32 %x10 to i64
  %37 = mul i64 %36, 1
  %at = add i64 0, %37
  %lane12 = zext i32 %x10 to i64
  %38 = getelementptr inbounds i32, ptr %scratch, i64 %lane12
  %39 = load i32, ptr %38, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !11
  %40 = icmp ne i32 %39, 0
  br i1 %40, label %alive, label %next18

alive:                                            ; preds = %x9
  %41 = getelementptr inbounds i32, ptr %a, i64 %at
  %42 = load i32, ptr %41, align 4, !alias.scope !6, !noalias !7, !llvm.access.group !11
  %43 = icmp eq i32 %42, 1
  br i1 %43, label %then13, label %endif14

then13:                                           ; preds = %alive
  %44 = getelementptr inbounds i32, ptr %scratch, i64 %lane12
  store i32 0, ptr %44, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !11
  br label %next18

endif14:                                          ; preds = %alive
  br i1 %24, label %then15, label %endif16

then15:                                           ; preds = %endif14
  %45 = getelementptr inbounds i32, ptr %scratch, i64 %lane12
  store i32 0, ptr %45, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !11
  br label %next18

endif16:                                          ; preds = %endif14
  %46 = getelementptr inbounds i32, ptr %out, i64 %at17
  store i32 1, ptr %46, align 4, !alias.scope !12, !noalias !13, !llvm.access.group !11
  store i32 1, ptr %any_live, align 4
  br label %next18

next18:                                           ; preds = %endif16, %then15, %then13, %x9
  %47 = add nuw i32 %x10, 1
  %48 = icmp ult i32 %47, 4
  %49 = add nuw nsw i32 %id.x11, 1
  br i1 %48, label %x9, label %done19, !llvm.loop !14

done19:                                           ; preds = %next18
  br label %after

guarded:                                          ; preds = %on
  br label %x20

x20:                                              ; preds = %next34, %guarded
  %x21 = phi i32 [ 0, %guarded ], [ %63, %next34 ]
  %id.x22 = phi i32 [ %8, %guarded ], [ %65, %next34 ]
  %lane23 = zext i32 %x21 to i64
  %50 = getelementptr inbounds i32, ptr %scratch, i64 %lane23
  %51 = load i32, ptr %50, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !16
  %52 = icmp ne i32 %51, 0
  br i1 %52, label %alive24, label %next34

alive24:                                          ; preds = %x20
  %53 = icmp ult i32 %x21, %a.len
  br i1 %53, label %then25, label %endif26

then25:                                           ; preds = %alive24
  %54 = zext i32 %x21 to i64
  %55 = getelementptr inbounds i32, ptr %a, i64 %54
  %56 = load i32, ptr %55, align 4, !alias.scope !6, !noalias !7, !llvm.access.group !16
  br label %endif26

endif26:                                          ; preds = %then25, %alive24
  %load27 = phi i32 [ 0, %alive24 ], [ %56, %then25 ]
  %57 = icmp eq i32 %load27, 1
  br i1 %57, label %then28, label %endif29

then28:                                           ; preds = %endif26
  %58 = getelementptr inbounds i32, ptr %scratch, i64 %lane23
  store i32 0, ptr %58, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !16
  br label %next34

endif29:                                          ; preds = %endif26
  br i1 %24, label %then30, label %endif31

then30:                                           ; preds = %endif29
  %59 = getelementptr inbounds i32, ptr %scratch, i64 %lane23
  store i32 0, ptr %59, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !16
  br label %next34

endif31:                                          ; preds = %endif29
  %60 = icmp ult i32 %id.x22, %out.len
  br i1 %60, label %then32, label %endif33

then32:                                           ; preds = %endif31
  %61 = zext i32 %id.x22 to i64
  %62 = getelementptr inbounds i32, ptr %out, i64 %61
  store i32 1, ptr %62, align 4, !alias.scope !12, !noalias !13, !llvm.access.group !16
  br label %endif33

endif33:                                          ; preds = %then32, %endif31
  store i32 1, ptr %any_live, align 4
  br label %next34

next34:                                           ; preds = %endif33, %then30, %then28, %x20
  %63 = add nuw i32 %x21, 1
  %64 = icmp ult i32 %63, 4
  %65 = add nuw nsw i32 %id.x22, 1
  br i1 %64, label %x20, label %done35, !llvm.loop !17

done35:                                           ; preds = %next34
  br label %after

after:                                            ; preds = %done35, %done19
  %66 = load i32, ptr %any_live, align 4
  %67 = icmp ne i32 %66, 0
  br i1 %67, label %on36, label %next37

on36:                                             ; preds = %after
  br label %next37

next37:                                           ; preds = %on36, %after, %done8
  %68 = add nuw i64 %group2, 1
  %69 = icmp ult i64 %68, %end
  br i1 %69, label %group, label %done38

done38:                                           ; preds = %next37, %entry
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
!8 = distinct !{}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.parallel_accesses", !8}
!11 = distinct !{}
!12 = !{!5}
!13 = !{!4, !1}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.parallel_accesses", !11}
!16 = distinct !{}
!17 = distinct !{!17, !18}
!18 = !{!"llvm.loop.parallel_accesses", !16}
