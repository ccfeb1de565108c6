; ModuleID = 'xor'
source_filename = "xor"

; Function Attrs: mustprogress nounwind willreturn
define void @xor(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %a = load ptr, ptr %buffers, align 8
  %0 = getelementptr inbounds i8, ptr %buffers, i64 8
  %1 = load i64, ptr %0, align 8
  %a.len = trunc i64 %1 to i32
  %2 = getelementptr inbounds i8, ptr %buffers, i64 16
  %b = load ptr, ptr %2, align 8
  %3 = getelementptr inbounds i8, ptr %buffers, i64 24
  %4 = load i64, ptr %3, align 8
  %b.len = trunc i64 %4 to i32
  %5 = getelementptr inbounds i8, ptr %buffers, i64 32
  %out = load ptr, ptr %5, align 8
  %6 = getelementptr inbounds i8, ptr %buffers, i64 40
  %7 = load i64, ptr %6, align 8
  %out.len = trunc i64 %7 to i32
  %groups1 = load i32, ptr %groups, align 4
  %end = add i64 %first, %count
  %8 = icmp ult i64 %first, %end
  br i1 %8, label %row, label %finish

row:                                              ; preds = %done12, %entry
  %group = phi i64 [ %first, %entry ], [ %50, %done12 ]
  %9 = zext i32 %groups1 to i64
  %10 = urem i64 %group, %9
  %group.x = trunc i64 %10 to i32
  %11 = zext i32 %groups1 to i64
  %12 = sub i64 %end, %group
  %13 = zext i32 %group.x to i64
  %14 = sub i64 %11, %13
  %15 = icmp ult i64 %12, %14
  %take = select i1 %15, i64 %12, i64 %14
  %x.begin = mul nuw nsw i32 %group.x, 64
  %16 = trunc i64 %take to i32
  %17 = mul i32 %16, 64
  %x.end = add nuw nsw i32 %x.begin, %17
  %18 = call i32 @llvm.umin.i32(i32 %x.end, i32 %out.len)
  %19 = call i32 @llvm.umin.i32(i32 %18, i32 %a.len)
  %20 = call i32 @llvm.umin.i32(i32 %19, i32 %b.len)
  %21 = call i32 @llvm.umax.i32(i32 %20, i32 %x.begin)
  %22 = icmp ult i32 %x.begin, %21
  br i1 %22, label %x, label %done

x:                                                ; preds = %x, %row
  %x2 = phi i32 [ %x.begin, %row ], [ %32, %x ]
  %23 = zext i32 %x2 to i64
  %24 = getelementptr inbounds i32, ptr %a, i64 %23
  %25 = load i32, ptr %24, align 4, !alias.scope !0, !noalias !3
  %26 = zext i32 %x2 to i64
  %27 = getelementptr inbounds i32, ptr %b, i64 %26
  %28 = load i32, ptr %27, align 4, !alias.scope !6, !noalias !7
  %29 = xor i32 %25, %28
  %30 = zext i32 %x2 to i64
  %31 = getelementptr inbounds i32, ptr %out, i64 %30
  store i32 %29, ptr %31, align 4, !alias.scope !8, !noalias !9
  %32 = add nuw i32 %x2, 1
  %33 = icmp ult i32 %32, %21
  br i1 %33, label %x, label %done

done:                                             ; preds = %x, %row
  %34 = icmp ult i32 %21, %x.end
  br i1 %34, label %x3, label %done12

x3:                                               ; preds = %endif11, %done
  %x4 = phi i32 [ %21, %done ], [ %48, %endif11 ]
  %35 = icmp ult i32 %x4, %out.len
  br i1 %35, label %then, label %endif11

then:                                             ; preds = %x3
  %36 = icmp ult i32 %x4, %a.len
  br i1 %36, label %then5, label %endif

then5:                                            ; preds = %then
  %37 = zext i32 %x4 to i64
  %38 = getelementptr inbounds i32, ptr %a, i64 %37
  %39 = load i32, ptr %38, align 4, !alias.scope !0, !noalias !3
  br label %endif

endif:                                            ; preds = %then5, %then
  %load = phi i32 [ 0, %then ], [ %39, %then5 ]
  %40 = icmp ult i32 %x4, %b.len
  br i1 %40, label %then6, label %endif7

then6:                                            ; preds = %endif
  %41 = zext i32 %x4 to i64
  %42 = getelementptr inbounds i32, ptr %b, i64 %41
  %43 = load i32, ptr %42, align 4, !alias.scope !6, !noalias !7
  br label %endif7

endif7:                                           ; preds = %then6, %endif
  %load8 = phi i32 [ 0, %endif ], [ %43, %then6 ]
  %44 = xor i32 %load, %load8
  %45 = icmp ult i32 %x4, %out.len
  br i1 %45, label %then9, label %endif10

then9:                                            ; preds = %endif7
  %46 = zext i32 %x4 to i64
  %47 = getelementptr inbounds i32, ptr %out, i64 %46
  store i32 %44, ptr %47, align 4, !alias.scope !8, !noalias !9
  br label %endif10

endif10:                                          ; preds = %then9, %endif7
  br label %endif11

endif11:                                          ; preds = %endif10, %x3
  %48 = add nuw i32 %x4, 1
  %49 = icmp ult i32 %48, %x.end
  br i1 %49, label %x3, label %done12, !llvm.loop !10

done12:                                           ; preds = %endif11, %done
  %50 = add i64 %group, %take
  %51 = icmp ult i64 %50, %end
  br i1 %51, label %row, label %finish

finish:                                           ; preds = %done12, %entry
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #1

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }
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
