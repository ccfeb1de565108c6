; ModuleID = 'atomics'
source_filename = "atomics"

; Function Attrs: mustprogress nounwind willreturn
define void @atomics(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %cells = load ptr, ptr %buffers, align 8
  %0 = getelementptr inbounds i8, ptr %buffers, i64 8
  %1 = load i64, ptr %0, align 8
  %cells.len = trunc i64 %1 to i32
  %2 = getelementptr inbounds i8, ptr %buffers, i64 16
  %out = load ptr, ptr %2, align 8
  %3 = getelementptr inbounds i8, ptr %buffers, i64 24
  %4 = load i64, ptr %3, align 8
  %out.len = trunc i64 %4 to i32
  %groups1 = load i32, ptr %groups, align 4
  %end = add i64 %first, %count
  %5 = icmp ult i64 %first, %end
  br i1 %5, label %row, label %finish

row:                                              ; preds = %done, %entry
  %group = phi i64 [ %first, %entry ], [ %41, %done ]
  %6 = zext i32 %groups1 to i64
  %7 = urem i64 %group, %6
  %group.x = trunc i64 %7 to i32
  %8 = zext i32 %groups1 to i64
  %9 = sub i64 %end, %group
  %10 = zext i32 %group.x to i64
  %11 = sub i64 %8, %10
  %12 = icmp ult i64 %9, %11
  %take = select i1 %12, i64 %9, i64 %11
  %x.begin = mul nuw nsw i32 %group.x, 1
  %13 = trunc i64 %take to i32
  %14 = mul i32 %13, 1
  %x.end = add nuw nsw i32 %x.begin, %14
  %15 = icmp ult i32 %x.begin, %x.end
  br i1 %15, label %x, label %done

x:                                                ; preds = %endif9, %row
  %x2 = phi i32 [ %x.begin, %row ], [ %39, %endif9 ]
  %16 = icmp ult i32 0, %cells.len
  br i1 %16, label %then, label %endif

then:                                             ; preds = %x
  %17 = getelementptr inbounds i32, ptr %cells, i64 0
  %18 = load i32, ptr %17, align 4, !alias.scope !0, !noalias !3
  %19 = freeze i32 %18
  br label %endif

endif:                                            ; preds = %then, %x
  %load = phi i32 [ 0, %x ], [ %19, %then ]
  %20 = icmp ult i32 %load, %cells.len
  br i1 %20, label %then3, label %endif4

then3:                                            ; preds = %endif
  %21 = zext i32 %load to i64
  %22 = getelementptr inbounds i32, ptr %cells, i64 %21
  %23 = atomicrmw add ptr %22, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif4

endif4:                                           ; preds = %then3, %endif
  %atomic = phi i32 [ 0, %endif ], [ %23, %then3 ]
  %24 = icmp eq i32 %load, 0
  %25 = select i1 %24, i32 1, i32 %load
  %26 = call i32 @llvm.ctlz.i32(i32 %25, i1 true)
  %27 = select i1 %24, i32 32, i32 %26
  %28 = icmp eq i32 %atomic, 0
  %29 = select i1 %28, i32 1, i32 %atomic
  %30 = udiv i32 %load, %29
  %31 = select i1 %28, i32 0, i32 %30
  %32 = add i32 %27, %31
  %33 = icmp ult i32 1, %cells.len
  br i1 %33, label %then5, label %endif6

then5:                                            ; preds = %endif4
  %34 = getelementptr inbounds i32, ptr %cells, i64 1
  %35 = cmpxchg ptr %34, i32 %atomic, i32 %32 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %36 = extractvalue { i32, i1 } %35, 0
  br label %endif6

endif6:                                           ; preds = %then5, %endif4
  %atomic7 = phi i32 [ 0, %endif4 ], [ %36, %then5 ]
  %37 = icmp ult i32 0, %out.len
  br i1 %37, label %then8, label %endif9

then8:                                            ; preds = %endif6
  %38 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %atomic7, ptr %38, align 4, !alias.scope !3, !noalias !0
  br label %endif9

endif9:                                           ; preds = %then8, %endif6
  %39 = add nuw i32 %x2, 1
  %40 = icmp ult i32 %39, %x.end
  br i1 %40, label %x, label %done

done:                                             ; preds = %endif9, %row
  %41 = add i64 %group, %take
  %42 = icmp ult i64 %41, %end
  br i1 %42, label %row, label %finish

finish:                                           ; preds = %done, %entry
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"atomics"}
!3 = !{!4}
!4 = distinct !{!4, !2}
