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
  %load = alloca i32, align 4
  %load2 = alloca i32, align 4
  %end = add i64 %first, %count
  %8 = icmp ult i64 %first, %end
  br i1 %8, label %row, label %finish

row:                                              ; preds = %done12, %entry
  %group = phi i64 [ %first, %entry ], [ %54, %done12 ]
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
  %x3 = phi i32 [ %x.begin, %row ], [ %34, %x ]
  store i32 0, ptr %load, align 4
  %23 = zext i32 %x3 to i64
  %24 = getelementptr inbounds i32, ptr %a, i64 %23
  %25 = load i32, ptr %24, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !6
  store i32 %25, ptr %load, align 4
  %26 = load i32, ptr %load, align 4
  store i32 0, ptr %load2, align 4
  %27 = zext i32 %x3 to i64
  %28 = getelementptr inbounds i32, ptr %b, i64 %27
  %29 = load i32, ptr %28, align 4, !alias.scope !7, !noalias !8, !llvm.access.group !6
  store i32 %29, ptr %load2, align 4
  %30 = load i32, ptr %load2, align 4
  %31 = xor i32 %26, %30
  %32 = zext i32 %x3 to i64
  %33 = getelementptr inbounds i32, ptr %out, i64 %32
  store i32 %31, ptr %33, align 4, !alias.scope !9, !noalias !10, !llvm.access.group !6
  %34 = add nuw i32 %x3, 1
  %35 = icmp ult i32 %34, %21
  br i1 %35, label %x, label %done, !llvm.loop !11

done:                                             ; preds = %x, %row
  %36 = icmp ult i32 %21, %x.end
  br i1 %36, label %x4, label %done12

x4:                                               ; preds = %endif11, %done
  %x5 = phi i32 [ %21, %done ], [ %52, %endif11 ]
  %37 = icmp ult i32 %x5, %out.len
  br i1 %37, label %then, label %endif11

then:                                             ; preds = %x4
  store i32 0, ptr %load, align 4
  %38 = icmp ult i32 %x5, %a.len
  br i1 %38, label %then6, label %endif

then6:                                            ; preds = %then
  %39 = zext i32 %x5 to i64
  %40 = getelementptr inbounds i32, ptr %a, i64 %39
  %41 = load i32, ptr %40, align 4, !alias.scope !0, !noalias !3
  store i32 %41, ptr %load, align 4
  br label %endif

endif:                                            ; preds = %then6, %then
  %42 = load i32, ptr %load, align 4
  store i32 0, ptr %load2, align 4
  %43 = icmp ult i32 %x5, %b.len
  br i1 %43, label %then7, label %endif8

then7:                                            ; preds = %endif
  %44 = zext i32 %x5 to i64
  %45 = getelementptr inbounds i32, ptr %b, i64 %44
  %46 = load i32, ptr %45, align 4, !alias.scope !7, !noalias !8
  store i32 %46, ptr %load2, align 4
  br label %endif8

endif8:                                           ; preds = %then7, %endif
  %47 = load i32, ptr %load2, align 4
  %48 = xor i32 %42, %47
  %49 = icmp ult i32 %x5, %out.len
  br i1 %49, label %then9, label %endif10

then9:                                            ; preds = %endif8
  %50 = zext i32 %x5 to i64
  %51 = getelementptr inbounds i32, ptr %out, i64 %50
  store i32 %48, ptr %51, align 4, !alias.scope !9, !noalias !10
  br label %endif10

endif10:                                          ; preds = %then9, %endif8
  br label %endif11

endif11:                                          ; preds = %endif10, %x4
  %52 = add nuw i32 %x5, 1
  %53 = icmp ult i32 %52, %x.end
  br i1 %53, label %x4, label %done12, !llvm.loop !13

done12:                                           ; preds = %endif11, %done
  %54 = add i64 %group, %take
  %55 = icmp ult i64 %54, %end
  br i1 %55, label %row, label %finish

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
!6 = distinct !{}
!7 = !{!4}
!8 = !{!1, !5}
!9 = !{!5}
!10 = !{!1, !4}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.parallel_accesses", !6}
!13 = distinct !{!13, !14, !15}
!14 = !{!"llvm.loop.unroll.disable"}
!15 = !{!"llvm.loop.vectorize.enable", i1 false}
