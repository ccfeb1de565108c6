; ModuleID = 'atomics'
source_filename = "atomics"

; Function Attrs: mustprogress nounwind willreturn
define void @atomics(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %0 = getelementptr inbounds i8, ptr %buffers, i64 0
  %cells = load ptr, ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %1, align 8
  %cells.len = trunc i64 %2 to i32
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
  %end = add i64 %first, %count
  %9 = icmp ult i64 %first, %end
  br i1 %9, label %row, label %finish

row:                                              ; preds = %after, %entry
  %group = phi i64 [ %first, %entry ], [ %51, %after ]
  %10 = zext i32 %groups1 to i64
  %11 = urem i64 %group, %10
  %group.x = trunc i64 %11 to i32
  %12 = zext i32 %groups1 to i64
  %13 = sub i64 %end, %group
  %14 = zext i32 %group.x to i64
  %15 = sub i64 %12, %14
  %16 = icmp ult i64 %13, %15
  %take = select i1 %16, i64 %13, i64 %15
  %x.begin = mul nuw nsw i32 %group.x, 1
  %17 = trunc i64 %take to i32
  %18 = mul i32 %17, 1
  %x.end = add nuw nsw i32 %x.begin, %18
  %19 = icmp ult i32 %x.begin, %x.end
  br i1 %19, label %run, label %after

run:                                              ; preds = %row
  br label %x

x:                                                ; preds = %next, %run
  %x4 = phi i32 [ %x.begin, %run ], [ %49, %next ]
  %20 = icmp ult i32 0, %cells.len
  %21 = zext i1 %20 to i32
  br i1 %20, label %then, label %endif

then:                                             ; preds = %x
  %22 = getelementptr inbounds i32, ptr %cells, i64 0
  %23 = load i32, ptr %22, align 4, !alias.scope !0, !noalias !3
  %24 = freeze i32 %23
  br label %endif

endif:                                            ; preds = %then, %x
  %load = phi i32 [ 0, %x ], [ %24, %then ]
  %25 = icmp ult i32 %load, %cells.len
  %26 = zext i1 %25 to i32
  br i1 %25, label %then5, label %endif6

then5:                                            ; preds = %endif
  %27 = zext i32 %load to i64
  %28 = getelementptr inbounds i32, ptr %cells, i64 %27
  %29 = atomicrmw add ptr %28, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif6

endif6:                                           ; preds = %then5, %endif
  %atomic = phi i32 [ 0, %endif ], [ %29, %then5 ]
  %30 = icmp eq i32 %load, 0
  %31 = zext i1 %30 to i32
  %32 = select i1 %30, i32 1, i32 %load
  %33 = call i32 @llvm.ctlz.i32(i32 %32, i1 true)
  %34 = select i1 %30, i32 32, i32 %33
  %35 = icmp eq i32 %atomic, 0
  %36 = zext i1 %35 to i32
  %37 = select i1 %35, i32 1, i32 %atomic
  %38 = udiv i32 %load, %37
  %39 = select i1 %35, i32 0, i32 %38
  %40 = add i32 %34, %39
  %41 = icmp ult i32 1, %cells.len
  %42 = zext i1 %41 to i32
  br i1 %41, label %then7, label %endif8

then7:                                            ; preds = %endif6
  %43 = getelementptr inbounds i32, ptr %cells, i64 1
  %44 = cmpxchg ptr %43, i32 %atomic, i32 %40 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %45 = extractvalue { i32, i1 } %44, 0
  br label %endif8

endif8:                                           ; preds = %then7, %endif6
  %atomic9 = phi i32 [ 0, %endif6 ], [ %45, %then7 ]
  %46 = icmp ult i32 0, %out.len
  %47 = zext i1 %46 to i32
  br i1 %46, label %then10, label %endif11

then10:                                           ; preds = %endif8
  %48 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %atomic9, ptr %48, align 4, !alias.scope !3, !noalias !0
  br label %endif11

endif11:                                          ; preds = %then10, %endif8
  br label %next

next:                                             ; preds = %endif11
  %49 = add nuw i32 %x4, 1
  %50 = icmp ult i32 %49, %x.end
  br i1 %50, label %x, label %done

done:                                             ; preds = %next
  br label %after

after:                                            ; preds = %done, %row
  %51 = add i64 %group, %take
  %52 = icmp ult i64 %51, %end
  br i1 %52, label %row, label %finish

finish:                                           ; preds = %after, %entry
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"atomics"}
!3 = !{!4}
!4 = distinct !{!4, !2}
