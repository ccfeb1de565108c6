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
  %load = alloca i32, align 4
  %atomic = alloca i32, align 4
  %atomic4 = alloca i32, align 4
  %end = add i64 %first, %count
  %9 = icmp ult i64 %first, %end
  br i1 %9, label %row, label %finish

row:                                              ; preds = %after, %entry
  %group = phi i64 [ %first, %entry ], [ %54, %after ]
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
  %x5 = phi i32 [ %x.begin, %run ], [ %52, %next ]
  store i32 0, ptr %load, align 4
  %20 = icmp ult i32 0, %cells.len
  %21 = zext i1 %20 to i32
  br i1 %20, label %then, label %endif

then:                                             ; preds = %x
  %22 = getelementptr inbounds i32, ptr %cells, i64 0
  %23 = load i32, ptr %22, align 4, !alias.scope !0, !noalias !3
  %24 = freeze i32 %23
  store i32 %24, ptr %load, align 4
  br label %endif

endif:                                            ; preds = %then, %x
  %25 = load i32, ptr %load, align 4
  store i32 0, ptr %atomic, align 4
  %26 = icmp ult i32 %25, %cells.len
  %27 = zext i1 %26 to i32
  br i1 %26, label %then6, label %endif7

then6:                                            ; preds = %endif
  %28 = zext i32 %25 to i64
  %29 = getelementptr inbounds i32, ptr %cells, i64 %28
  %30 = atomicrmw add ptr %29, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  store i32 %30, ptr %atomic, align 4
  br label %endif7

endif7:                                           ; preds = %then6, %endif
  %31 = load i32, ptr %atomic, align 4
  %32 = icmp eq i32 %25, 0
  %33 = zext i1 %32 to i32
  %34 = select i1 %32, i32 1, i32 %25
  %35 = call i32 @llvm.ctlz.i32(i32 %34, i1 true)
  %36 = select i1 %32, i32 32, i32 %35
  %37 = icmp eq i32 %31, 0
  %38 = zext i1 %37 to i32
  %39 = select i1 %37, i32 1, i32 %31
  %40 = udiv i32 %25, %39
  %41 = select i1 %37, i32 0, i32 %40
  %42 = add i32 %36, %41
  store i32 0, ptr %atomic4, align 4
  %43 = icmp ult i32 1, %cells.len
  %44 = zext i1 %43 to i32
  br i1 %43, label %then8, label %endif9

then8:                                            ; preds = %endif7
  %45 = getelementptr inbounds i32, ptr %cells, i64 1
  %46 = cmpxchg ptr %45, i32 %31, i32 %42 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %47 = extractvalue { i32, i1 } %46, 0
  store i32 %47, ptr %atomic4, align 4
  br label %endif9

endif9:                                           ; preds = %then8, %endif7
  %48 = load i32, ptr %atomic4, align 4
  %49 = icmp ult i32 0, %out.len
  %50 = zext i1 %49 to i32
  br i1 %49, label %then10, label %endif11

then10:                                           ; preds = %endif9
  %51 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %48, ptr %51, align 4, !alias.scope !3, !noalias !0
  br label %endif11

endif11:                                          ; preds = %then10, %endif9
  br label %next

next:                                             ; preds = %endif11
  %52 = add nuw i32 %x5, 1
  %53 = icmp ult i32 %52, %x.end
  br i1 %53, label %x, label %done

done:                                             ; preds = %next
  br label %after

after:                                            ; preds = %done, %row
  %54 = add i64 %group, %take
  %55 = icmp ult i64 %54, %end
  br i1 %55, label %row, label %finish

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
