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
  %load = alloca i32, align 4
  %load4 = alloca i32, align 4
  %load5 = alloca i32, align 4
  %kept = getelementptr inbounds i8, ptr %scratch, i64 64
  %kept6 = getelementptr inbounds i8, ptr %scratch, i64 128
  %end = add i64 %first, %count
  %9 = icmp ult i64 %first, %end
  br i1 %9, label %run, label %finish

run:                                              ; preds = %entry
  br label %group

group:                                            ; preds = %next41, %run
  %group7 = phi i64 [ %first, %run ], [ %78, %next41 ]
  %10 = zext i32 %groups1 to i64
  %11 = urem i64 %group7, %10
  %group.x = trunc i64 %11 to i32
  %12 = mul nuw nsw i32 %group.x, 8
  call void @llvm.memset.p0.i64(ptr align 64 %scratch, i8 0, i64 64, i1 false)
  store i32 0, ptr %load4, align 4
  %13 = icmp ult i32 0, %a.len
  %14 = zext i1 %13 to i32
  br i1 %13, label %then, label %endif

then:                                             ; preds = %group
  %15 = getelementptr inbounds i32, ptr %a, i64 0
  %16 = load i32, ptr %15, align 4, !alias.scope !0, !noalias !3
  store i32 %16, ptr %load4, align 4
  br label %endif

endif:                                            ; preds = %then, %group
  %17 = load i32, ptr %load4, align 4
  br label %x

x:                                                ; preds = %next, %endif
  %x8 = phi i32 [ 0, %endif ], [ %30, %next ]
  %id.x = phi i32 [ %12, %endif ], [ %29, %next ]
  %lane = zext i32 %x8 to i64
  %18 = getelementptr inbounds i32, ptr %kept, i64 %lane
  %19 = load i32, ptr %18, align 4, !alias.scope !8, !noalias !9
  store i32 %19, ptr %sum, align 4
  store i32 0, ptr %load, align 4
  %20 = icmp ult i32 %id.x, %a.len
  %21 = zext i1 %20 to i32
  br i1 %20, label %then9, label %endif10

then9:                                            ; preds = %x
  %22 = zext i32 %id.x to i64
  %23 = getelementptr inbounds i32, ptr %a, i64 %22
  %24 = load i32, ptr %23, align 4, !alias.scope !0, !noalias !3
  store i32 %24, ptr %load, align 4
  br label %endif10

endif10:                                          ; preds = %then9, %x
  %25 = load i32, ptr %load, align 4
  %26 = getelementptr inbounds i32, ptr %kept6, i64 %lane
  store i32 %25, ptr %26, align 4, !alias.scope !10, !noalias !11
  store i32 %25, ptr %sum, align 4
  %27 = load i32, ptr %sum, align 4
  %28 = getelementptr inbounds i32, ptr %kept, i64 %lane
  store i32 %27, ptr %28, align 4, !alias.scope !8, !noalias !9
  br label %next

next:                                             ; preds = %endif10
  %29 = add nuw nsw i32 %id.x, 1
  %30 = add nuw i32 %x8, 1
  %31 = icmp ult i32 %30, 8
  br i1 %31, label %x, label %done

done:                                             ; preds = %next
  %32 = icmp ult i32 0, %17
  br i1 %32, label %run11, label %after

run11:                                            ; preds = %done
  br label %loop

loop:                                             ; preds = %next29, %run11
  %loop12 = phi i32 [ 0, %run11 ], [ %60, %next29 ]
  br label %x13

x13:                                              ; preds = %next19, %loop
  %x14 = phi i32 [ 0, %loop ], [ %41, %next19 ]
  %id.x15 = phi i32 [ %12, %loop ], [ %40, %next19 ]
  %lane16 = zext i32 %x14 to i64
  %33 = getelementptr inbounds i32, ptr %kept, i64 %lane16
  %34 = load i32, ptr %33, align 4, !alias.scope !8, !noalias !9
  store i32 %34, ptr %sum, align 4
  %35 = load i32, ptr %sum, align 4
  %36 = icmp ult i32 %x14, 8
  %37 = zext i1 %36 to i32
  br i1 %36, label %then17, label %endif18

then17:                                           ; preds = %x13
  %38 = zext i32 %x14 to i64
  %39 = getelementptr inbounds i32, ptr %tile, i64 %38
  store i32 %35, ptr %39, align 4, !alias.scope !12, !noalias !13
  br label %endif18

endif18:                                          ; preds = %then17, %x13
  br label %next19

next19:                                           ; preds = %endif18
  %40 = add nuw nsw i32 %id.x15, 1
  %41 = add nuw i32 %x14, 1
  %42 = icmp ult i32 %41, 8
  br i1 %42, label %x13, label %done20

done20:                                           ; preds = %next19
  br label %x21

x21:                                              ; preds = %next27, %done20
  %x22 = phi i32 [ 0, %done20 ], [ %58, %next27 ]
  %id.x23 = phi i32 [ %12, %done20 ], [ %57, %next27 ]
  %lane24 = zext i32 %x22 to i64
  %43 = getelementptr inbounds i32, ptr %kept, i64 %lane24
  %44 = load i32, ptr %43, align 4, !alias.scope !8, !noalias !9
  store i32 %44, ptr %sum, align 4
  %45 = load i32, ptr %sum, align 4
  %46 = sub i32 7, %x22
  store i32 0, ptr %load5, align 4
  %47 = icmp ult i32 %46, 8
  %48 = zext i1 %47 to i32
  br i1 %47, label %then25, label %endif26

then25:                                           ; preds = %x21
  %49 = zext i32 %46 to i64
  %50 = getelementptr inbounds i32, ptr %tile, i64 %49
  %51 = load i32, ptr %50, align 4, !alias.scope !12, !noalias !13
  %52 = freeze i32 %51
  store i32 %52, ptr %load5, align 4
  br label %endif26

endif26:                                          ; preds = %then25, %x21
  %53 = load i32, ptr %load5, align 4
  %54 = add i32 %45, %53
  store i32 %54, ptr %sum, align 4
  %55 = load i32, ptr %sum, align 4
  %56 = getelementptr inbounds i32, ptr %kept, i64 %lane24
  store i32 %55, ptr %56, align 4, !alias.scope !8, !noalias !9
  br label %next27

next27:                                           ; preds = %endif26
  %57 = add nuw nsw i32 %id.x23, 1
  %58 = add nuw i32 %x22, 1
  %59 = icmp ult i32 %58, 8
  br i1 %59, label %x21, label %done28

done28:                                           ; preds = %next27
  br label %next29

next29:                                           ; preds = %done28
  %60 = add nuw i32 %loop12, 1
  %61 = icmp ult i32 %60, %17
  br i1 %61, label %loop, label %done30

done30:                                           ; preds = %next29
  br label %after

after:                                            ; preds = %done30, %done
  br label %x31

x31:                                              ; preds = %next39, %after
  %x32 = phi i32 [ 0, %after ], [ %76, %next39 ]
  %id.x33 = phi i32 [ %12, %after ], [ %75, %next39 ]
  %lane34 = zext i32 %x32 to i64
  %62 = getelementptr inbounds i32, ptr %kept6, i64 %lane34
  %63 = load i32, ptr %62, align 4, !alias.scope !10, !noalias !11
  %64 = getelementptr inbounds i32, ptr %kept, i64 %lane34
  %65 = load i32, ptr %64, align 4, !alias.scope !8, !noalias !9
  store i32 %65, ptr %sum, align 4
  %66 = load i32, ptr %sum, align 4
  %67 = icmp eq i32 %66, %63
  %68 = zext i1 %67 to i32
  br i1 %67, label %then35, label %endif36

then35:                                           ; preds = %x31
  br label %next39

endif36:                                          ; preds = %x31
  %69 = load i32, ptr %sum, align 4
  %70 = xor i32 %69, %63
  %71 = icmp ult i32 %id.x33, %out.len
  %72 = zext i1 %71 to i32
  br i1 %71, label %then37, label %endif38

then37:                                           ; preds = %endif36
  %73 = zext i32 %id.x33 to i64
  %74 = getelementptr inbounds i32, ptr %out, i64 %73
  store i32 %70, ptr %74, align 4, !alias.scope !14, !noalias !15
  br label %endif38

endif38:                                          ; preds = %then37, %endif36
  br label %next39

next39:                                           ; preds = %endif38, %then35
  %75 = add nuw nsw i32 %id.x33, 1
  %76 = add nuw i32 %x32, 1
  %77 = icmp ult i32 %76, 8
  br i1 %77, label %x31, label %done40

done40:                                           ; preds = %next39
  br label %next41

next41:                                           ; preds = %done40
  %78 = add nuw i64 %group7, 1
  %79 = icmp ult i64 %78, %end
  br i1 %79, label %group, label %done42

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
