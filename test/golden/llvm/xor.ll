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
  %load = alloca i32, align 4
  %load4 = alloca i32, align 4
  %end = add i64 %first, %count
  %12 = icmp ult i64 %first, %end
  br i1 %12, label %row, label %finish

row:                                              ; preds = %after17, %entry
  %group = phi i64 [ %first, %entry ], [ %62, %after17 ]
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
  %x5 = phi i32 [ %x.begin, %run ], [ %38, %next ]
  store i32 0, ptr %load, align 4
  %27 = zext i32 %x5 to i64
  %28 = getelementptr inbounds i32, ptr %a, i64 %27
  %29 = load i32, ptr %28, align 4, !alias.scope !0, !noalias !3
  store i32 %29, ptr %load, align 4
  %30 = load i32, ptr %load, align 4
  store i32 0, ptr %load4, align 4
  %31 = zext i32 %x5 to i64
  %32 = getelementptr inbounds i32, ptr %b, i64 %31
  %33 = load i32, ptr %32, align 4, !alias.scope !6, !noalias !7
  store i32 %33, ptr %load4, align 4
  %34 = load i32, ptr %load4, align 4
  %35 = xor i32 %30, %34
  %36 = zext i32 %x5 to i64
  %37 = getelementptr inbounds i32, ptr %out, i64 %36
  store i32 %35, ptr %37, align 4, !alias.scope !8, !noalias !9
  br label %next

next:                                             ; preds = %x
  %38 = add nuw i32 %x5, 1
  %39 = icmp ult i32 %38, %25
  br i1 %39, label %x, label %done

done:                                             ; preds = %next
  br label %after

after:                                            ; preds = %done, %row
  %40 = icmp ult i32 %25, %x.end
  br i1 %40, label %run6, label %after17

run6:                                             ; preds = %after
  br label %x7

x7:                                               ; preds = %next15, %run6
  %x8 = phi i32 [ %25, %run6 ], [ %60, %next15 ]
  %41 = icmp ult i32 %x8, %out.len
  %42 = zext i1 %41 to i32
  br i1 %41, label %then, label %endif14

then:                                             ; preds = %x7
  store i32 0, ptr %load, align 4
  %43 = icmp ult i32 %x8, %a.len
  %44 = zext i1 %43 to i32
  br i1 %43, label %then9, label %endif

then9:                                            ; preds = %then
  %45 = zext i32 %x8 to i64
  %46 = getelementptr inbounds i32, ptr %a, i64 %45
  %47 = load i32, ptr %46, align 4, !alias.scope !0, !noalias !3
  store i32 %47, ptr %load, align 4
  br label %endif

endif:                                            ; preds = %then9, %then
  %48 = load i32, ptr %load, align 4
  store i32 0, ptr %load4, align 4
  %49 = icmp ult i32 %x8, %b.len
  %50 = zext i1 %49 to i32
  br i1 %49, label %then10, label %endif11

then10:                                           ; preds = %endif
  %51 = zext i32 %x8 to i64
  %52 = getelementptr inbounds i32, ptr %b, i64 %51
  %53 = load i32, ptr %52, align 4, !alias.scope !6, !noalias !7
  store i32 %53, ptr %load4, align 4
  br label %endif11

endif11:                                          ; preds = %then10, %endif
  %54 = load i32, ptr %load4, align 4
  %55 = xor i32 %48, %54
  %56 = icmp ult i32 %x8, %out.len
  %57 = zext i1 %56 to i32
  br i1 %56, label %then12, label %endif13

then12:                                           ; preds = %endif11
  %58 = zext i32 %x8 to i64
  %59 = getelementptr inbounds i32, ptr %out, i64 %58
  store i32 %55, ptr %59, align 4, !alias.scope !8, !noalias !9
  br label %endif13

endif13:                                          ; preds = %then12, %endif11
  br label %endif14

endif14:                                          ; preds = %endif13, %x7
  br label %next15

next15:                                           ; preds = %endif14
  %60 = add nuw i32 %x8, 1
  %61 = icmp ult i32 %60, %x.end
  br i1 %61, label %x7, label %done16, !llvm.loop !10

done16:                                           ; preds = %next15
  br label %after17

after17:                                          ; preds = %done16, %after
  %62 = add i64 %group, %take
  %63 = icmp ult i64 %62, %end
  br i1 %63, label %row, label %finish

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
