; ModuleID = 'kept'
source_filename = "kept"

; Function Attrs: mustprogress nounwind willreturn
define void @kept(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %0 = getelementptr inbounds i8, ptr %buffers, i64 0
  %a = load ptr, ptr %0, align 8
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %1, align 8
  %a.len = trunc i64 %2 to i32
  %3 = getelementptr inbounds i8, ptr %buffers, i64 16
  %out = load ptr, ptr %3, align 8
  %4 = getelementptr inbounds i8, ptr %3, i64 8
  %5 = load i64, ptr %4, align 8
  %out.len = trunc i64 %5 to i32
  %tile = getelementptr inbounds i8, ptr %scratch, i64 0
  %6 = getelementptr inbounds i32, ptr %groups, i64 0
  %groups1 = load i32, ptr %6, align 4
  %7 = getelementptr inbounds i32, ptr %groups, i64 1
  %groups2 = load i32, ptr %7, align 4
  %8 = getelementptr inbounds i32, ptr %groups, i64 2
  %groups3 = load i32, ptr %8, align 4
  %sum = alloca i32, align 4
  %kept = getelementptr inbounds i8, ptr %scratch, i64 64
  %kept4 = getelementptr inbounds i8, ptr %scratch, i64 128
  %end = add i64 %first, %count
  %9 = icmp ult i64 %first, %end
  br i1 %9, label %run, label %finish

run:                                              ; preds = %entry
  br label %group

group:                                            ; preds = %next41, %run
  %group5 = phi i64 [ %first, %run ], [ %75, %next41 ]
  %10 = zext i32 %groups1 to i64
  %11 = urem i64 %group5, %10
  %group.x = trunc i64 %11 to i32
  %12 = mul nuw nsw i32 %group.x, 8
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 64, i1 false)
  %13 = icmp ult i32 0, %a.len
  %14 = zext i1 %13 to i32
  br i1 %13, label %then, label %endif

then:                                             ; preds = %group
  %15 = getelementptr inbounds i32, ptr %a, i64 0
  %16 = load i32, ptr %15, align 4, !alias.scope !0, !noalias !3
  br label %endif

endif:                                            ; preds = %then, %group
  %load = phi i32 [ 0, %group ], [ %16, %then ]
  br label %x

x:                                                ; preds = %next, %endif
  %x6 = phi i32 [ 0, %endif ], [ %28, %next ]
  %id.x = phi i32 [ %12, %endif ], [ %27, %next ]
  %lane = zext i32 %x6 to i64
  %17 = getelementptr inbounds i32, ptr %kept, i64 %lane
  %18 = load i32, ptr %17, align 4, !alias.scope !8, !noalias !9
  store i32 %18, ptr %sum, align 4
  %19 = icmp ult i32 %id.x, %a.len
  %20 = zext i1 %19 to i32
  br i1 %19, label %then7, label %endif8

then7:                                            ; preds = %x
  %21 = zext i32 %id.x to i64
  %22 = getelementptr inbounds i32, ptr %a, i64 %21
  %23 = load i32, ptr %22, align 4, !alias.scope !0, !noalias !3
  br label %endif8

endif8:                                           ; preds = %then7, %x
  %load9 = phi i32 [ 0, %x ], [ %23, %then7 ]
  %24 = getelementptr inbounds i32, ptr %kept4, i64 %lane
  store i32 %load9, ptr %24, align 4, !alias.scope !10, !noalias !11
  store i32 %load9, ptr %sum, align 4
  %25 = load i32, ptr %sum, align 4
  %26 = getelementptr inbounds i32, ptr %kept, i64 %lane
  store i32 %25, ptr %26, align 4, !alias.scope !8, !noalias !9
  br label %next

next:                                             ; preds = %endif8
  %27 = add nuw nsw i32 %id.x, 1
  %28 = add nuw i32 %x6, 1
  %29 = icmp ult i32 %28, 8
  br i1 %29, label %x, label %done

done:                                             ; preds = %next
  %30 = icmp ult i32 0, %load
  br i1 %30, label %run10, label %after

run10:                                            ; preds = %done
  br label %loop

loop:                                             ; preds = %next29, %run10
  %loop11 = phi i32 [ 0, %run10 ], [ %57, %next29 ]
  br label %x12

x12:                                              ; preds = %next18, %loop
  %x13 = phi i32 [ 0, %loop ], [ %39, %next18 ]
  %id.x14 = phi i32 [ %12, %loop ], [ %38, %next18 ]
  %lane15 = zext i32 %x13 to i64
  %31 = getelementptr inbounds i32, ptr %kept, i64 %lane15
  %32 = load i32, ptr %31, align 4, !alias.scope !8, !noalias !9
  store i32 %32, ptr %sum, align 4
  %33 = load i32, ptr %sum, align 4
  %34 = icmp ult i32 %x13, 8
  %35 = zext i1 %34 to i32
  br i1 %34, label %then16, label %endif17

then16:                                           ; preds = %x12
  %36 = zext i32 %x13 to i64
  %37 = getelementptr inbounds i32, ptr %tile, i64 %36
  store i32 %33, ptr %37, align 4, !alias.scope !12, !noalias !13
  br label %endif17

endif17:                                          ; preds = %then16, %x12
  br label %next18

next18:                                           ; preds = %endif17
  %38 = add nuw nsw i32 %id.x14, 1
  %39 = add nuw i32 %x13, 1
  %40 = icmp ult i32 %39, 8
  br i1 %40, label %x12, label %done19

done19:                                           ; preds = %next18
  br label %x20

x20:                                              ; preds = %next27, %done19
  %x21 = phi i32 [ 0, %done19 ], [ %55, %next27 ]
  %id.x22 = phi i32 [ %12, %done19 ], [ %54, %next27 ]
  %lane23 = zext i32 %x21 to i64
  %41 = getelementptr inbounds i32, ptr %kept, i64 %lane23
  %42 = load i32, ptr %41, align 4, !alias.scope !8, !noalias !9
  store i32 %42, ptr %sum, align 4
  %43 = load i32, ptr %sum, align 4
  %44 = sub i32 7, %x21
  %45 = icmp ult i32 %44, 8
  %46 = zext i1 %45 to i32
  br i1 %45, label %then24, label %endif25

then24:                                           ; preds = %x20
  %47 = zext i32 %44 to i64
  %48 = getelementptr inbounds i32, ptr %tile, i64 %47
  %49 = load i32, ptr %48, align 4, !alias.scope !12, !noalias !13
  %50 = freeze i32 %49
  br label %endif25

endif25:                                          ; preds = %then24, %x20
  %load26 = phi i32 [ 0, %x20 ], [ %50, %then24 ]
  %51 = add i32 %43, %load26
  store i32 %51, ptr %sum, align 4
  %52 = load i32, ptr %sum, align 4
  %53 = getelementptr inbounds i32, ptr %kept, i64 %lane23
  store i32 %52, ptr %53, align 4, !alias.scope !8, !noalias !9
  br label %next27

next27:                                           ; preds = %endif25
  %54 = add nuw nsw i32 %id.x22, 1
  %55 = add nuw i32 %x21, 1
  %56 = icmp ult i32 %55, 8
  br i1 %56, label %x20, label %done28

done28:                                           ; preds = %next27
  br label %next29

next29:                                           ; preds = %done28
  %57 = add nuw i32 %loop11, 1
  %58 = icmp ult i32 %57, %load
  br i1 %58, label %loop, label %done30

done30:                                           ; preds = %next29
  br label %after

after:                                            ; preds = %done30, %done
  br label %x31

x31:                                              ; preds = %next39, %after
  %x32 = phi i32 [ 0, %after ], [ %73, %next39 ]
  %id.x33 = phi i32 [ %12, %after ], [ %72, %next39 ]
  %lane34 = zext i32 %x32 to i64
  %59 = getelementptr inbounds i32, ptr %kept4, i64 %lane34
  %60 = load i32, ptr %59, align 4, !alias.scope !10, !noalias !11
  %61 = getelementptr inbounds i32, ptr %kept, i64 %lane34
  %62 = load i32, ptr %61, align 4, !alias.scope !8, !noalias !9
  store i32 %62, ptr %sum, align 4
  %63 = load i32, ptr %sum, align 4
  %64 = icmp eq i32 %63, %60
  %65 = zext i1 %64 to i32
  br i1 %64, label %then35, label %endif36

then35:                                           ; preds = %x31
  br label %next39

endif36:                                          ; preds = %x31
  %66 = load i32, ptr %sum, align 4
  %67 = xor i32 %66, %60
  %68 = icmp ult i32 %id.x33, %out.len
  %69 = zext i1 %68 to i32
  br i1 %68, label %then37, label %endif38

then37:                                           ; preds = %endif36
  %70 = zext i32 %id.x33 to i64
  %71 = getelementptr inbounds i32, ptr %out, i64 %70
  store i32 %67, ptr %71, align 4, !alias.scope !14, !noalias !15
  br label %endif38

endif38:                                          ; preds = %then37, %endif36
  br label %next39

next39:                                           ; preds = %endif38, %then35
  %72 = add nuw nsw i32 %id.x33, 1
  %73 = add nuw i32 %x32, 1
  %74 = icmp ult i32 %73, 8
  br i1 %74, label %x31, label %done40

done40:                                           ; preds = %next39
  br label %next41

next41:                                           ; preds = %done40
  %75 = add nuw i64 %group5, 1
  %76 = icmp ult i64 %75, %end
  br i1 %76, label %group, label %done42

done42:                                           ; preds = %next41
  br label %finish

finish:                                           ; preds = %done42, %entry
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #1

attributes #0 = { mustprogress nounwind willreturn }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2, !"kept"}
!3 = !{!4, !5, !6, !7}
!4 = distinct !{!4, !2}
!5 = distinct !{!5, !2}
!6 = distinct !{!6, !2}
!7 = distinct !{!7, !2}
!8 = !{!6}
!9 = !{!1, !4, !5, !7}
!10 = !{!7}
!11 = !{!1, !4, !5, !6}
!12 = !{!5}
!13 = !{!1, !4, !6, !7}
!14 = !{!4}
!15 = !{!1, !5, !6, !7}
