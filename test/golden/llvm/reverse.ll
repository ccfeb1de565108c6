; ModuleID = 'reverse'
source_filename = "reverse"

; Function Attrs: mustprogress nounwind willreturn
define void @reverse(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %0 = getelementptr inbounds i8, ptr %buffers, i64 0
  %data = load ptr, ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %1, align 8
  %data.len = trunc i64 %2 to i32
  %tile = getelementptr inbounds i8, ptr %scratch, i64 0
  %3 = getelementptr inbounds i32, ptr %groups, i64 0
  %groups1 = load i32, ptr %3, align 4
  %4 = getelementptr inbounds i32, ptr %groups, i64 1
  %groups2 = load i32, ptr %4, align 4
  %5 = getelementptr inbounds i32, ptr %groups, i64 2
  %groups3 = load i32, ptr %5, align 4
  %end = add i64 %first, %count
  %6 = icmp ult i64 %first, %end
  br i1 %6, label %run, label %finish

run:                                              ; preds = %entry
  br label %group

group:                                            ; preds = %next19, %run
  %group4 = phi i64 [ %first, %run ], [ %37, %next19 ]
  %7 = zext i32 %groups1 to i64
  %8 = urem i64 %group4, %7
  %group.x = trunc i64 %8 to i32
  %9 = mul nuw nsw i32 %group.x, 32
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 128, i1 false)
  br label %x

x:                                                ; preds = %next, %group
  %x5 = phi i32 [ 0, %group ], [ %21, %next ]
  %id.x = phi i32 [ %9, %group ], [ %20, %next ]
  %lane = zext i32 %x5 to i64
  %10 = icmp ult i32 %id.x, %data.len
  %11 = zext i1 %10 to i32
  br i1 %10, label %then, label %endif

then:                                             ; preds = %x
  %12 = zext i32 %id.x to i64
  %13 = getelementptr inbounds i32, ptr %data, i64 %12
  %14 = load i32, ptr %13, align 4, !alias.scope !0, !noalias !3
  %15 = freeze i32 %14
  br label %endif

endif:                                            ; preds = %then, %x
  %load = phi i32 [ 0, %x ], [ %15, %then ]
  %16 = icmp ult i32 %x5, 32
  %17 = zext i1 %16 to i32
  br i1 %16, label %then6, label %endif7

then6:                                            ; preds = %endif
  %18 = zext i32 %x5 to i64
  %19 = getelementptr inbounds i32, ptr %tile, i64 %18
  store i32 %load, ptr %19, align 4, !alias.scope !3, !noalias !0
  br label %endif7

endif7:                                           ; preds = %then6, %endif
  br label %next

next:                                             ; preds = %endif7
  %20 = add nuw nsw i32 %id.x, 1
  %21 = add nuw i32 %x5, 1
  %22 = icmp ult i32 %21, 32
  br i1 %22, label %x, label %done

done:                                             ; preds = %next
  br label %x8

x8:                                               ; preds = %next17, %done
  %x9 = phi i32 [ 0, %done ], [ %35, %next17 ]
  %id.x10 = phi i32 [ %9, %done ], [ %34, %next17 ]
  %lane11 = zext i32 %x9 to i64
  %23 = sub i32 31, %x9
  %24 = icmp ult i32 %23, 32
  %25 = zext i1 %24 to i32
  br i1 %24, label %then12, label %endif13

then12:                                           ; preds = %x8
  %26 = zext i32 %23 to i64
  %27 = getelementptr inbounds i32, ptr %tile, i64 %26
  %28 = load i32, ptr %27, align 4, !alias.scope !3, !noalias !0
  %29 = freeze i32 %28
  br label %endif13

endif13:                                          ; preds = %then12, %x8
  %load14 = phi i32 [ 0, %x8 ], [ %29, %then12 ]
  %30 = icmp ult i32 %id.x10, %data.len
  %31 = zext i1 %30 to i32
  br i1 %30, label %then15, label %endif16

then15:                                           ; preds = %endif13
  %32 = zext i32 %id.x10 to i64
  %33 = getelementptr inbounds i32, ptr %data, i64 %32
  store i32 %load14, ptr %33, align 4, !alias.scope !0, !noalias !3
  br label %endif16

endif16:                                          ; preds = %then15, %endif13
  br label %next17

next17:                                           ; preds = %endif16
  %34 = add nuw nsw i32 %id.x10, 1
  %35 = add nuw i32 %x9, 1
  %36 = icmp ult i32 %35, 32
  br i1 %36, label %x8, label %done18

done18:                                           ; preds = %next17
  br label %next19

next19:                                           ; preds = %done18
  %37 = add nuw i64 %group4, 1
  %38 = icmp ult i64 %37, %end
  br i1 %38, label %group, label %done20

done20:                                           ; preds = %next19
  br label %finish

finish:                                           ; preds = %done20, %entry
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"reverse"}
!3 = !{!4}
!4 = distinct !{!4, !2}
