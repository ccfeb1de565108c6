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

row:                                              ; preds = %done34, %entry
  %group = phi i64 [ %first, %entry ], [ %111, %done34 ]
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
  %15 = call i32 @llvm.umax.i32(i32 %x.end, i32 %x.begin)
  %16 = icmp ult i32 0, %cells.len
  %17 = icmp ult i32 1, %cells.len
  %18 = icmp ult i32 0, %out.len
  %19 = zext i32 %x.begin to i64
  %20 = zext i32 %15 to i64
  %21 = sub i64 %20, %19
  %22 = sub i64 %21, 1
  %23 = mul i64 %22, 0
  %24 = add i64 0, %23
  %25 = zext i32 %cells.len to i64
  %26 = icmp ult i64 %24, %25
  %27 = and i1 true, %26
  %28 = mul i64 %19, 0
  %begin = sub i64 0, %28
  %29 = mul i64 %22, 0
  %30 = add i64 0, %29
  %31 = zext i32 %out.len to i64
  %32 = icmp ult i64 %30, %31
  %33 = and i1 %27, %32
  %34 = mul i64 %19, 0
  %begin2 = sub i64 0, %34
  br i1 %33, label %inside, label %guarded

inside:                                           ; preds = %row
  %35 = icmp ult i32 %x.begin, %15
  br i1 %35, label %x, label %done

x:                                                ; preds = %endif5, %inside
  %x3 = phi i32 [ %x.begin, %inside ], [ %60, %endif5 ]
  %36 = zext i32 %x3 to i64
  %37 = mul i64 %36, 0
  %at7 = add i64 %begin2, %37
  %38 = zext i32 %x3 to i64
  %39 = mul i64 %38, 0
  %at = add i64 %begin, %39
  %40 = getelementptr inbounds i32, ptr %cells, i64 %at
  %41 = load i32, ptr %40, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !5
  %42 = freeze i32 %41
  %43 = icmp ult i32 %42, %cells.len
  br i1 %43, label %then, label %endif

then:                                             ; preds = %x
  %44 = zext i32 %42 to i64
  %45 = getelementptr inbounds i32, ptr %cells, i64 %44
  %46 = atomicrmw add ptr %45, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif

endif:                                            ; preds = %then, %x
  %atomic = phi i32 [ 0, %x ], [ %46, %then ]
  %47 = icmp eq i32 %42, 0
  %48 = select i1 %47, i32 1, i32 %42
  %49 = call i32 @llvm.ctlz.i32(i32 %48, i1 true)
  %50 = select i1 %47, i32 32, i32 %49
  %51 = icmp eq i32 %atomic, 0
  %52 = select i1 %51, i32 1, i32 %atomic
  %53 = udiv i32 %42, %52
  %54 = select i1 %51, i32 0, i32 %53
  %55 = add i32 %50, %54
  br i1 %17, label %then4, label %endif5

then4:                                            ; preds = %endif
  %56 = getelementptr inbounds i32, ptr %cells, i64 1
  %57 = cmpxchg ptr %56, i32 %atomic, i32 %55 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %58 = extractvalue { i32, i1 } %57, 0
  br label %endif5

endif5:                                           ; preds = %then4, %endif
  %atomic6 = phi i32 [ 0, %endif ], [ %58, %then4 ]
  %59 = getelementptr inbounds i32, ptr %out, i64 %at7
  store i32 %atomic6, ptr %59, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !5
  %60 = add nuw i32 %x3, 1
  %61 = icmp ult i32 %60, %15
  br i1 %61, label %x, label %done, !llvm.loop !6

done:                                             ; preds = %endif5, %inside
  br label %after

guarded:                                          ; preds = %row
  %62 = icmp ult i32 %x.begin, %15
  br i1 %62, label %x8, label %done20

x8:                                               ; preds = %endif19, %guarded
  %x9 = phi i32 [ %x.begin, %guarded ], [ %83, %endif19 ]
  br i1 %16, label %then10, label %endif11

then10:                                           ; preds = %x8
  %63 = getelementptr inbounds i32, ptr %cells, i64 0
  %64 = load i32, ptr %63, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !8
  %65 = freeze i32 %64
  br label %endif11

endif11:                                          ; preds = %then10, %x8
  %load = phi i32 [ 0, %x8 ], [ %65, %then10 ]
  %66 = icmp ult i32 %load, %cells.len
  br i1 %66, label %then12, label %endif13

then12:                                           ; preds = %endif11
  %67 = zext i32 %load to i64
  %68 = getelementptr inbounds i32, ptr %cells, i64 %67
  %69 = atomicrmw add ptr %68, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif13

endif13:                                          ; preds = %then12, %endif11
  %atomic14 = phi i32 [ 0, %endif11 ], [ %69, %then12 ]
  %70 = icmp eq i32 %load, 0
  %71 = select i1 %70, i32 1, i32 %load
  %72 = call i32 @llvm.ctlz.i32(i32 %71, i1 true)
  %73 = select i1 %70, i32 32, i32 %72
  %74 = icmp eq i32 %atomic14, 0
  %75 = select i1 %74, i32 1, i32 %atomic14
  %76 = udiv i32 %load, %75
  %77 = select i1 %74, i32 0, i32 %76
  %78 = add i32 %73, %77
  br i1 %17, label %then15, label %endif16

then15:                                           ; preds = %endif13
  %79 = getelementptr inbounds i32, ptr %cells, i64 1
  %80 = cmpxchg ptr %79, i32 %atomic14, i32 %78 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %81 = extractvalue { i32, i1 } %80, 0
  br label %endif16

endif16:                                          ; preds = %then15, %endif13
  %atomic17 = phi i32 [ 0, %endif13 ], [ %81, %then15 ]
  br i1 %18, label %then18, label %endif19

then18:                                           ; preds = %endif16
  %82 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %atomic17, ptr %82, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !8
  br label %endif19

endif19:                                          ; preds = %then18, %endif16
  %83 = add nuw i32 %x9, 1
  %84 = icmp ult i32 %83, %15
  br i1 %84, label %x8, label %done20, !llvm.loop !9

done20:                                           ; preds = %endif19, %guarded
  br label %after

after:                                            ; preds = %done20, %done
  %85 = icmp ult i32 %15, %x.end
  br i1 %85, label %x21, label %done34

x21:                                              ; preds = %endif33, %after
  %x22 = phi i32 [ %15, %after ], [ %109, %endif33 ]
  %86 = icmp ult i32 0, %cells.len
  br i1 %86, label %then23, label %endif24

then23:                                           ; preds = %x21
  %87 = getelementptr inbounds i32, ptr %cells, i64 0
  %88 = load i32, ptr %87, align 4, !alias.scope !0, !noalias !3
  %89 = freeze i32 %88
  br label %endif24

endif24:                                          ; preds = %then23, %x21
  %load25 = phi i32 [ 0, %x21 ], [ %89, %then23 ]
  %90 = icmp ult i32 %load25, %cells.len
  br i1 %90, label %then26, label %endif27

then26:                                           ; preds = %endif24
  %91 = zext i32 %load25 to i64
  %92 = getelementptr inbounds i32, ptr %cells, i64 %91
  %93 = atomicrmw add ptr %92, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif27

endif27:                                          ; preds = %then26, %endif24
  %atomic28 = phi i32 [ 0, %endif24 ], [ %93, %then26 ]
  %94 = icmp eq i32 %load25, 0
  %95 = select i1 %94, i32 1, i32 %load25
  %96 = call i32 @llvm.ctlz.i32(i32 %95, i1 true)
  %97 = select i1 %94, i32 32, i32 %96
  %98 = icmp eq i32 %atomic28, 0
  %99 = select i1 %98, i32 1, i32 %atomic28
  %100 = udiv i32 %load25, %99
  %101 = select i1 %98, i32 0, i32 %100
  %102 = add i32 %97, %101
  %103 = icmp ult i32 1, %cells.len
  br i1 %103, label %then29, label %endif30

then29:                                           ; preds = %endif27
  %104 = getelementptr inbounds i32, ptr %cells, i64 1
  %105 = cmpxchg ptr %104, i32 %atomic28, i32 %102 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %106 = extractvalue { i32, i1 } %105, 0
  br label %endif30

endif30:                                          ; preds = %then29, %endif27
  %atomic31 = phi i32 [ 0, %endif27 ], [ %106, %then29 ]
  %107 = icmp ult i32 0, %out.len
  br i1 %107, label %then32, label %endif33

then32:                                           ; preds = %endif30
  %108 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %atomic31, ptr %108, align 4, !alias.scope !3, !noalias !0
  br label %endif33

endif33:                                          ; preds = %then32, %endif30
  %109 = add nuw i32 %x22, 1
  %110 = icmp ult i32 %109, %x.end
  br i1 %110, label %x21, label %done34, !llvm.loop !11

done34:                                           ; preds = %endif33, %after
  %111 = add i64 %group, %take
  %112 = icmp ult i64 %111, %end
  br i1 %112, label %row, label %finish

finish:                                           ; preds = %done34, %entry
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"atomics"}
!3 = !{!4}
!4 = distinct !{!4, !2}
!5 = distinct !{}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.parallel_accesses", !5}
!8 = distinct !{}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.parallel_accesses", !8}
!11 = distinct !{!11, !12, !13}
!12 = !{!"llvm.loop.unroll.disable"}
!13 = !{!"llvm.loop.vectorize.enable", i1 false}
