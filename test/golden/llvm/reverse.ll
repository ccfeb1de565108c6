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
  br i1 %2, label %group, label %done16

group:                                            ; preds = %done15, %entry
  %group2 = phi i64 [ %first, %entry ], [ %29, %done15 ]
  %3 = zext i32 %groups1 to i64
  %4 = urem i64 %group2, %3
  %group.x = trunc i64 %4 to i32
  %5 = mul nuw nsw i32 %group.x, 32
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 128, i1 false)
  br label %x

x:                                                ; preds = %endif5, %group
  %x3 = phi i32 [ 0, %group ], [ %14, %endif5 ]
  %id.x = phi i32 [ %5, %group ], [ %16, %endif5 ]
  %lane = zext i32 %x3 to i64
  %6 = icmp ult i32 %id.x, %data.len
  br i1 %6, label %then, label %endif

then:                                             ; preds = %x
  %7 = zext i32 %id.x to i64
  %8 = getelementptr inbounds i32, ptr %data, i64 %7
  %9 = load i32, ptr %8, align 4, !alias.scope !0, !noalias !3
  %10 = freeze i32 %9
  br label %endif

endif:                                            ; preds = %then, %x
  %load = phi i32 [ 0, %x ], [ %10, %then ]
  %11 = icmp ult i32 %x3, 32
  br i1 %11, label %then4, label %endif5

then4:                                            ; preds = %endif
  %12 = zext i32 %x3 to i64
  %13 = getelementptr inbounds i32, ptr %scratch, i64 %12
  store i32 %load, ptr %13, align 4, !alias.scope !3, !noalias !0
  br label %endif5

endif5:                                           ; preds = %then4, %endif
  %14 = add nuw i32 %x3, 1
  %15 = icmp ult i32 %14, 32
  %16 = add nuw nsw i32 %id.x, 1
  br i1 %15, label %x, label %done

done:                                             ; preds = %endif5
  br label %x6

x6:                                               ; preds = %endif14, %done
  %x7 = phi i32 [ 0, %done ], [ %26, %endif14 ]
  %id.x8 = phi i32 [ %5, %done ], [ %28, %endif14 ]
  %lane9 = zext i32 %x7 to i64
  %17 = sub i32 31, %x7
  %18 = icmp ult i32 %17, 32
  br i1 %18, label %then10, label %endif11

then10:                                           ; preds = %x6
  %19 = zext i32 %17 to i64
  %20 = getelementptr inbounds i32, ptr %scratch, i64 %19
  %21 = load i32, ptr %20, align 4, !alias.scope !3, !noalias !0
  %22 = freeze i32 %21
  br label %endif11

endif11:                                          ; preds = %then10, %x6
  %load12 = phi i32 [ 0, %x6 ], [ %22, %then10 ]
  %23 = icmp ult i32 %id.x8, %data.len
  br i1 %23, label %then13, label %endif14

then13:                                           ; preds = %endif11
  %24 = zext i32 %id.x8 to i64
  %25 = getelementptr inbounds i32, ptr %data, i64 %24
  store i32 %load12, ptr %25, align 4, !alias.scope !0, !noalias !3
  br label %endif14

endif14:                                          ; preds = %then13, %endif11
  %26 = add nuw i32 %x7, 1
  %27 = icmp ult i32 %26, 32
  %28 = add nuw nsw i32 %id.x8, 1
  br i1 %27, label %x6, label %done15

done15:                                           ; preds = %endif14
  %29 = add nuw i64 %group2, 1
  %30 = icmp ult i64 %29, %end
  br i1 %30, label %group, label %done16

done16:                                           ; preds = %done15, %entry
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
