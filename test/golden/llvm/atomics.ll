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

row:                                              ; preds = %done33, %entry
  %group = phi i64 [ %first, %entry ], [ %119, %done33 ]
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
  %30 = add i64 1, %29
  %31 = zext i32 %cells.len to i64
  %32 = icmp ult i64 %30, %31
  %33 = and i1 %27, %32
  %34 = mul i64 %19, 0
  %begin2 = sub i64 1, %34
  %35 = mul i64 %22, 0
  %36 = add i64 0, %35
  %37 = zext i32 %out.len to i64
  %38 = icmp ult i64 %36, %37
  %39 = and i1 %33, %38
  %40 = mul i64 %19, 0
  %begin3 = sub i64 0, %40
  br i1 %39, label %inside, label %guarded

inside:                                           ; preds = %row
  %41 = icmp ult i32 %x.begin, %15
  br i1 %41, label %x, label %done

x:                                                ; preds = %endif, %inside
  %x4 = phi i32 [ %x.begin, %inside ], [ %68, %endif ]
  %42 = zext i32 %x4 to i64
  %43 = mul i64 %42, 0
  %at6 = add i64 %begin3, %43
  %44 = zext i32 %x4 to i64
  %45 = mul i64 %44, 0
  %at5 = add i64 %begin2, %45
  %46 = zext i32 %x4 to i64
  %47 = mul i64 %46, 0
  %at = add i64 %begin, %47
  %48 = getelementptr inbounds i32, ptr %cells, i64 %at
  %49 = load i32, ptr %48, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !5
  %50 = freeze i32 %49
  %51 = icmp ult i32 %50, %cells.len
  br i1 %51, label %then, label %endif

then:                                             ; preds = %x
  %52 = zext i32 %50 to i64
  %53 = getelementptr inbounds i32, ptr %cells, i64 %52
  %54 = atomicrmw add ptr %53, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif

endif:                                            ; preds = %then, %x
  %atomic = phi i32 [ 0, %x ], [ %54, %then ]
  %55 = icmp eq i32 %50, 0
  %56 = select i1 %55, i32 1, i32 %50
  %57 = call i32 @llvm.ctlz.i32(i32 %56, i1 true)
  %58 = select i1 %55, i32 32, i32 %57
  %59 = icmp eq i32 %atomic, 0
  %60 = select i1 %59, i32 1, i32 %atomic
  %61 = udiv i32 %50, %60
  %62 = select i1 %59, i32 0, i32 %61
  %63 = add i32 %58, %62
  %64 = getelementptr inbounds i32, ptr %cells, i64 %at5
  %65 = cmpxchg ptr %64, i32 %atomic, i32 %63 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %66 = extractvalue { i32, i1 } %65, 0
  %67 = getelementptr inbounds i32, ptr %out, i64 %at6
  store i32 %66, ptr %67, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !5
  %68 = add nuw i32 %x4, 1
  %69 = icmp ult i32 %68, %15
  br i1 %69, label %x, label %done, !llvm.loop !6

done:                                             ; preds = %endif, %inside
  br label %after

guarded:                                          ; preds = %row
  %70 = icmp ult i32 %x.begin, %15
  br i1 %70, label %x7, label %done19

x7:                                               ; preds = %endif18, %guarded
  %x8 = phi i32 [ %x.begin, %guarded ], [ %91, %endif18 ]
  br i1 %16, label %then9, label %endif10

then9:                                            ; preds = %x7
  %71 = getelementptr inbounds i32, ptr %cells, i64 0
  %72 = load i32, ptr %71, align 4, !alias.scope !0, !noalias !3, !llvm.access.group !8
  %73 = freeze i32 %72
  br label %endif10

endif10:                                          ; preds = %then9, %x7
  %load = phi i32 [ 0, %x7 ], [ %73, %then9 ]
  %74 = icmp ult i32 %load, %cells.len
  br i1 %74, label %then11, label %endif12

then11:                                           ; preds = %endif10
  %75 = zext i32 %load to i64
  %76 = getelementptr inbounds i32, ptr %cells, i64 %75
  %77 = atomicrmw add ptr %76, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif12

endif12:                                          ; preds = %then11, %endif10
  %atomic13 = phi i32 [ 0, %endif10 ], [ %77, %then11 ]
  %78 = icmp eq i32 %load, 0
  %79 = select i1 %78, i32 1, i32 %load
  %80 = call i32 @llvm.ctlz.i32(i32 %79, i1 true)
  %81 = select i1 %78, i32 32, i32 %80
  %82 = icmp eq i32 %atomic13, 0
  %83 = select i1 %82, i32 1, i32 %atomic13
  %84 = udiv i32 %load, %83
  %85 = select i1 %82, i32 0, i32 %84
  %86 = add i32 %81, %85
  br i1 %17, label %then14, label %endif15

then14:                                           ; preds = %endif12
  %87 = getelementptr inbounds i32, ptr %cells, i64 1
  %88 = cmpxchg ptr %87, i32 %atomic13, i32 %86 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %89 = extractvalue { i32, i1 } %88, 0
  br label %endif15

endif15:                                          ; preds = %then14, %endif12
  %atomic16 = phi i32 [ 0, %endif12 ], [ %89, %then14 ]
  br i1 %18, label %then17, label %endif18

then17:                                           ; preds = %endif15
  %90 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %atomic16, ptr %90, align 4, !alias.scope !3, !noalias !0, !llvm.access.group !8
  br label %endif18

endif18:                                          ; preds = %then17, %endif15
  %91 = add nuw i32 %x8, 1
  %92 = icmp ult i32 %91, %15
  br i1 %92, label %x7, label %done19, !llvm.loop !9

done19:                                           ; preds = %endif18, %guarded
  br label %after

after:                                            ; preds = %done19, %done
  %93 = icmp ult i32 %15, %x.end
  br i1 %93, label %x20, label %done33

x20:                                              ; preds = %endif32, %after
  %x21 = phi i32 [ %15, %after ], [ %117, %endif32 ]
  %94 = icmp ult i32 0, %cells.len
  br i1 %94, label %then22, label %endif23

then22:                                           ; preds = %x20
  %95 = getelementptr inbounds i32, ptr %cells, i64 0
  %96 = load i32, ptr %95, align 4, !alias.scope !0, !noalias !3
  %97 = freeze i32 %96
  br label %endif23

endif23:                                          ; preds = %then22, %x20
  %load24 = phi i32 [ 0, %x20 ], [ %97, %then22 ]
  %98 = icmp ult i32 %load24, %cells.len
  br i1 %98, label %then25, label %endif26

then25:                                           ; preds = %endif23
  %99 = zext i32 %load24 to i64
  %100 = getelementptr inbounds i32, ptr %cells, i64 %99
  %101 = atomicrmw add ptr %100, i32 1 monotonic, align 4, !alias.scope !0, !noalias !3
  br label %endif26

endif26:                                          ; preds = %then25, %endif23
  %atomic27 = phi i32 [ 0, %endif23 ], [ %101, %then25 ]
  %102 = icmp eq i32 %load24, 0
  %103 = select i1 %102, i32 1, i32 %load24
  %104 = call i32 @llvm.ctlz.i32(i32 %103, i1 true)
  %105 = select i1 %102, i32 32, i32 %104
  %106 = icmp eq i32 %atomic27, 0
  %107 = select i1 %106, i32 1, i32 %atomic27
  %108 = udiv i32 %load24, %107
  %109 = select i1 %106, i32 0, i32 %108
  %110 = add i32 %105, %109
  %111 = icmp ult i32 1, %cells.len
  br i1 %111, label %then28, label %endif29

then28:                                           ; preds = %endif26
  %112 = getelementptr inbounds i32, ptr %cells, i64 1
  %113 = cmpxchg ptr %112, i32 %atomic27, i32 %110 monotonic monotonic, align 4, !alias.scope !0, !noalias !3
  %114 = extractvalue { i32, i1 } %113, 0
  br label %endif29

endif29:                                          ; preds = %then28, %endif26
  %atomic30 = phi i32 [ 0, %endif26 ], [ %114, %then28 ]
  %115 = icmp ult i32 0, %out.len
  br i1 %115, label %then31, label %endif32

then31:                                           ; preds = %endif29
  %116 = getelementptr inbounds i32, ptr %out, i64 0
  store i32 %atomic30, ptr %116, align 4, !alias.scope !3, !noalias !0
  br label %endif32

endif32:                                          ; preds = %then31, %endif29
  %117 = add nuw i32 %x21, 1
  %118 = icmp ult i32 %117, %x.end
  br i1 %118, label %x20, label %done33, !llvm.loop !11

done33:                                           ; preds = %endif32, %after
  %119 = add i64 %group, %take
  %120 = icmp ult i64 %119, %end
  br i1 %120, label %row, label %finish

finish:                                           ; preds = %done33, %entry
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
