; ModuleID = 'xor'
source_filename = "xor"

; Function Attrs: mustprogress nounwind willreturn
define void @xor(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %0 = getelementptr inbounds i8, ptr %buffers, i64 0
  %a = load ptr, ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %1, align 8
  %a.len = trunc i64 %2 to i32
  %3 = getelementptr inbounds i8, ptr %buffers, i64 16
  %b = load ptr, ptr %3, align 8
  %4 = getelementptr inbounds i8, ptr %3, i64 8
  %5 = load i64, ptr %4, align 8
  %b.len = trunc i64 %5 to i32
  %6 = getelementptr inbounds i8, ptr %buffers, i64 32
  %out = load ptr, ptr %6, align 8
  %7 = getelementptr inbounds i8, ptr %6, i64 8
  %8 = load i64, ptr %7, align 8
  %out.len = trunc i64 %8 to i32
  %9 = getelementptr inbounds i32, ptr %groups, i64 0
  %groups1 = load i32, ptr %9, align 4
  %10 = getelementptr inbounds i32, ptr %groups, i64 1
  %groups2 = load i32, ptr %10, align 4
  %11 = getelementptr inbounds i32, ptr %groups, i64 2
  %groups3 = load i32, ptr %11, align 4
  %end = add i64 %first, %count
  %12 = icmp ult i64 %first, %end
  br i1 %12, label %row, label %finish

row:                                              ; preds = %after17, %entry
  %group = phi i64 [ %first, %entry ], [ %58, %after17 ]
  %13 = zext i32 %groups1 to i64
  %14 = urem i64 %group, %13
  %group.x = trunc i64 %14 to i32
  %15 = zext i32 %groups1 to i64
  %16 = sub i64 %end, %group
  %17 = zext i32 %group.x to i64
  %18 = sub i64 %15, %17
  %19 = icmp ult i64 %16, %18
  %take = select i1 %19, i64 %16, i64 %18
  %x.begin = mul nuw nsw i32 %group.x, 64
  %20 = trunc i64 %take to i32
  %21 = mul i32 %20, 64
  %x.end = add nuw nsw i32 %x.begin, %21
  %22 = call i32 @llvm.umin.i32(i32 %x.end, i32 %out.len)
  %23 = call i32 @llvm.umin.i32(i32 %22, i32 %a.len)
  %24 = call i32 @llvm.umin.i32(i32 %23, i32 %b.len)
  %25 = call i32 @llvm.umax.i32(i32 %24, i32 %x.begin)
  %26 = icmp ult i32 %x.begin, %25
  br i1 %26, label %run, label %after

run:                                              ; preds = %row
  br label %x

x:                                                ; preds = %next, %run
  %x4 = phi i32 [ %x.begin, %run ], [ %36, %next ]
  %27 = zext i32 %x4 to i64
  %28 = getelementptr inbounds i32, ptr %a, i64 %27
  %29 = load i32, ptr %28, align 4, !alias.scope !0, !noalias !3
  %30 = zext i32 %x4 to i64
  %31 = getelementptr inbounds i32, ptr %b, i64 %30
  %32 = load i32, ptr %31, align 4, !alias.scope !6, !noalias !7
  %33 = xor i32 %29, %32
  %34 = zext i32 %x4 to i64
  %35 = getelementptr inbounds i32, ptr %out, i64 %34
  store i32 %33, ptr %35, align 4, !alias.scope !8, !noalias !9
  br label %next

next:                                             ; preds = %x
  %36 = add nuw i32 %x4, 1
  %37 = icmp ult i32 %36, %25
  br i1 %37, label %x, label %done

done:                                             ; preds = %next
  br label %after

after:                                            ; preds = %done, %row
  %38 = icmp ult i32 %25, %x.end
  br i1 %38, label %run5, label %after17

run5:                                             ; preds = %after
  br label %x6

x6:                                               ; preds = %next15, %run5
  %x7 = phi i32 [ %25, %run5 ], [ %56, %next15 ]
  %39 = icmp ult i32 %x7, %out.len
  %40 = zext i1 %39 to i32
  br i1 %39, label %then, label %endif14

then:                                             ; preds = %x6
  %41 = icmp ult i32 %x7, %a.len
  %42 = zext i1 %41 to i32
  br i1 %41, label %then8, label %endif

then8:                                            ; preds = %then
  %43 = zext i32 %x7 to i64
  %44 = getelementptr inbounds i32, ptr %a, i64 %43
  %45 = load i32, ptr %44, align 4, !alias.scope !0, !noalias !3
  br label %endif

endif:                                            ; preds = %then8, %then
  %load = phi i32 [ 0, %then ], [ %45, %then8 ]
  %46 = icmp ult i32 %x7, %b.len
  %47 = zext i1 %46 to i32
  br i1 %46, label %then9, label %endif10

then9:                                            ; preds = %endif
  %48 = zext i32 %x7 to i64
  %49 = getelementptr inbounds i32, ptr %b, i64 %48
  %50 = load i32, ptr %49, align 4, !alias.scope !6, !noalias !7
  br label %endif10

endif10:                                          ; preds = %then9, %endif
  %load11 = phi i32 [ 0, %endif ], [ %50, %then9 ]
  %51 = xor i32 %load, %load11
  %52 = icmp ult i32 %x7, %out.len
  %53 = zext i1 %52 to i32
  br i1 %52, label %then12, label %endif13

then12:                                           ; preds = %endif10
  %54 = zext i32 %x7 to i64
  %55 = getelementptr inbounds i32, ptr %out, i64 %54
  store i32 %51, ptr %55, align 4, !alias.scope !8, !noalias !9
  br label %endif13

endif13:                                          ; preds = %then12, %endif10
  br label %endif14

endif14:                                          ; preds = %endif13, %x6
  br label %next15

next15:                                           ; preds = %endif14
  %56 = add nuw i32 %x7, 1
  %57 = icmp ult i32 %56, %x.end
  br i1 %57, label %x6, label %done16, !llvm.loop !10

done16:                                           ; preds = %next15
  br label %after17

after17:                                          ; preds = %done16, %after
  %58 = add i64 %group, %take
  %59 = icmp ult i64 %58, %end
  br i1 %59, label %row, label %finish

finish:                                           ; preds = %after17, %entry
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #1

attributes #0 = { mustprogress nounwind willreturn }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"xor"}
!3 = !{!4, !5}
!4 = distinct !{!4, !2}
!5 = distinct !{!5, !2}
!6 = !{!4}
!7 = !{!1, !5}
!8 = !{!5}
!9 = !{!1, !4}
!10 = distinct !{!10, !11, !12}
!11 = !{!"llvm.loop.vectorize.enable", i1 false}
!12 = !{!"llvm.loop.unroll.disable"}
