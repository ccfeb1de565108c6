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
  %load = alloca i32, align 4
  %load4 = alloca i32, align 4
  %end = add i64 %first, %count
  %6 = icmp ult i64 %first, %end
  br i1 %6, label %run, label %finish

run:                                              ; preds = %entry
  br label %group

group:                                            ; preds = %next19, %run
  %group5 = phi i64 [ %first, %run ], [ %39, %next19 ]
  %7 = zext i32 %groups1 to i64
  %8 = urem i64 %group5, %7
  %group.x = trunc i64 %8 to i32
  %9 = mul nuw nsw i32 %group.x, 32
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 128, i1 false)
  br label %x

x:                                                ; preds = %next, %group
  %x6 = phi i32 [ 0, %group ], [ %22, %next ]
  %id.x = phi i32 [ %9, %group ], [ %21, %next ]
  %lane = zext i32 %x6 to i64
  store i32 0, ptr %load, align 4
  %10 = icmp ult i32 %id.x, %data.len
  %11 = zext i1 %10 to i32
  br i1 %10, label %then, label %endif

then:                                             ; preds = %x
  %12 = zext i32 %id.x to i64
  %13 = getelementptr inbounds i32, ptr %data, i64 %12
  %14 = load i32, ptr %13, align 4, !alias.scope !0, !noalias !3
  %15 = freeze i32 %14
  store i32 %15, ptr %load, align 4
  br label %endif

endif:                                            ; preds = %then, %x
  %16 = load i32, ptr %load, align 4
  %17 = icmp ult i32 %x6, 32
  %18 = zext i1 %17 to i32
  br i1 %17, label %then7, label %endif8

then7:                                            ; preds = %endif
  %19 = zext i32 %x6 to i64
  %20 = getelementptr inbounds i32, ptr %tile, i64 %19
  store i32 %16, ptr %20, align 4, !alias.scope !3, !noalias !0
  br label %endif8

endif8:                                           ; preds = %then7, %endif
  br label %next

next:                                             ; preds = %endif8
  %21 = add nuw nsw i32 %id.x, 1
  %22 = add nuw i32 %x6, 1
  %23 = icmp ult i32 %22, 32
  br i1 %23, label %x, label %done

done:                                             ; preds = %next
  br label %x9

x9:                                               ; preds = %next17, %done
  %x10 = phi i32 [ 0, %done ], [ %37, %next17 ]
  %id.x11 = phi i32 [ %9, %done ], [ %36, %next17 ]
  %lane12 = zext i32 %x10 to i64
  %24 = sub i32 31, %x10
  store i32 0, ptr %load4, align 4
  %25 = icmp ult i32 %24, 32
  %26 = zext i1 %25 to i32
  br i1 %25, label %then13, label %endif14

then13:                                           ; preds = %x9
  %27 = zext i32 %24 to i64
  %28 = getelementptr inbounds i32, ptr %tile, i64 %27
  %29 = load i32, ptr %28, align 4, !alias.scope !3, !noalias !0
  %30 = freeze i32 %29
  store i32 %30, ptr %load4, align 4
  br label %endif14

endif14:                                          ; preds = %then13, %x9
  %31 = load i32, ptr %load4, align 4
  %32 = icmp ult i32 %id.x11, %data.len
  %33 = zext i1 %32 to i32
  br i1 %32, label %then15, label %endif16

then15:                                           ; preds = %endif14
  %34 = zext i32 %id.x11 to i64
  %35 = getelementptr inbounds i32, ptr %data, i64 %34
  store i32 %31, ptr %35, align 4, !alias.scope !0, !noalias !3
  br label %endif16

endif16:                                          ; preds = %then15, %endif14
  br label %next17

next17:                                           ; preds = %endif16
  %36 = add nuw nsw i32 %id.x11, 1
  %37 = add nuw i32 %x10, 1
  %38 = icmp ult i32 %37, 32
  br i1 %38, label %x9, label %done18

done18:                                           ; preds = %next17
  br label %next19

next19:                                           ; preds = %done18
  %39 = add nuw i64 %group5, 1
  %40 = icmp ult i64 %39, %end
  br i1 %40, label %group, label %done20

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
