; ModuleID = 'long'
source_filename = "long"

; Function Attrs: mustprogress nounwind willreturn
define void @long(ptr %buffers, ptr %groups, i64 %first, i64 %count, ptr align 64 %scratch) #0 {
entry:
  %kept = alloca [64 x i64], align 64
  %kept5 = alloca [64 x i32], align 64
  %kept6 = alloca [64 x i32], align 64
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
  %x = alloca i64, align 8
  %load = alloca i64, align 8
  %load2 = alloca i64, align 8
  %end = add i64 %first, %count
  %8 = icmp ult i64 %first, %end
  br i1 %8, label %row, label %finish

row:                                              ; preds = %done31, %entry
  %group = phi i64 [ %first, %entry ], [ %261, %done31 ]
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
  %18 = call i32 @llvm.umin.i32(i32 %x.end, i32 %a.len)
  %19 = call i32 @llvm.umin.i32(i32 %18, i32 %b.len)
  %20 = call i32 @llvm.umin.i32(i32 %19, i32 %out.len)
  %21 = call i32 @llvm.umax.i32(i32 %20, i32 %x.begin)
  %22 = icmp ult i32 %x.begin, %x.end
  br i1 %22, label %chunk, label %done31

chunk:                                            ; preds = %next, %row
  %chunk3 = phi i32 [ %x.begin, %row ], [ %259, %next ]
  %end4 = add nuw nsw i32 %chunk3, 64
  %23 = icmp ule i32 %end4, %21
  br i1 %23, label %whole, label %apart

whole:                                            ; preds = %chunk
  br label %x7

x7:                                               ; preds = %x7, %whole
  %x8 = phi i32 [ 0, %whole ], [ %50, %x7 ]
  %id.x = add nuw nsw i32 %chunk3, %x8
  %lane = zext i32 %x8 to i64
  %24 = getelementptr inbounds i64, ptr %kept, i64 %lane
  %25 = load i64, ptr %24, align 4, !llvm.access.group !0
  store i64 %25, ptr %x, align 4
  store i64 0, ptr %load, align 4
  %26 = zext i32 %id.x to i64
  %27 = getelementptr inbounds [2 x i32], ptr %a, i64 %26, i64 0
  %28 = load i64, ptr %27, align 4, !alias.scope !1, !noalias !4, !llvm.access.group !0
  %29 = trunc i64 %28 to i32
  %30 = lshr i64 %28, 32
  %31 = trunc i64 %30 to i32
  store i64 %28, ptr %load, align 4
  %32 = load i64, ptr %load, align 4
  %33 = trunc i64 %32 to i32
  %34 = lshr i64 %32, 32
  %35 = trunc i64 %34 to i32
  store i64 %32, ptr %x, align 4
  store i64 0, ptr %load2, align 4
  %36 = zext i32 %id.x to i64
  %37 = getelementptr inbounds [2 x i32], ptr %b, i64 %36, i64 0
  %38 = load i64, ptr %37, align 4, !alias.scope !7, !noalias !8, !llvm.access.group !0
  %39 = trunc i64 %38 to i32
  %40 = lshr i64 %38, 32
  %41 = trunc i64 %40 to i32
  store i64 %38, ptr %load2, align 4
  %42 = load i64, ptr %load2, align 4
  %43 = trunc i64 %42 to i32
  %44 = getelementptr inbounds i32, ptr %kept5, i64 %lane
  store i32 %43, ptr %44, align 4, !llvm.access.group !0
  %45 = lshr i64 %42, 32
  %46 = trunc i64 %45 to i32
  %47 = getelementptr inbounds i32, ptr %kept6, i64 %lane
  store i32 %46, ptr %47, align 4, !llvm.access.group !0
  %48 = load i64, ptr %x, align 4
  %49 = getelementptr inbounds i64, ptr %kept, i64 %lane
  store i64 %48, ptr %49, align 4, !llvm.access.group !0
  %50 = add nuw i32 %x8, 1
  %51 = icmp ult i32 %50, 64
  br i1 %51, label %x7, label %done, !llvm.loop !9

done:                                             ; preds = %x7
  %52 = icmp ult i32 0, %a.len
  br i1 %52, label %loop, label %done15

loop:                                             ; preds = %done14, %done
  %loop9 = phi i32 [ 0, %done ], [ %79, %done14 ]
  br label %x10

x10:                                              ; preds = %x10, %loop
  %x11 = phi i32 [ 0, %loop ], [ %77, %x10 ]
  %id.x12 = add nuw nsw i32 %chunk3, %x11
  %lane13 = zext i32 %x11 to i64
  %53 = getelementptr inbounds i32, ptr %kept5, i64 %lane13
  %54 = load i32, ptr %53, align 4, !llvm.access.group !15
  %55 = getelementptr inbounds i32, ptr %kept6, i64 %lane13
  %56 = load i32, ptr %55, align 4, !llvm.access.group !15
  %57 = getelementptr inbounds i64, ptr %kept, i64 %lane13
  %58 = load i64, ptr %57, align 4, !llvm.access.group !15
  store i64 %58, ptr %x, align 4
  %59 = load i64, ptr %x, align 4
  %60 = trunc i64 %59 to i32
  %61 = lshr i64 %59, 32
  %62 = trunc i64 %61 to i32
  %63 = zext i32 %56 to i64
  %64 = shl i64 %63, 32
  %65 = zext i32 %54 to i64
  %66 = or i64 %64, %65
  %67 = mul i64 %59, %66
  %68 = trunc i64 %67 to i32
  %69 = lshr i64 %67, 32
  %70 = trunc i64 %69 to i32
  %71 = add i64 %67, 1442695040888963407
  %72 = trunc i64 %71 to i32
  %73 = lshr i64 %71, 32
  %74 = trunc i64 %73 to i32
  store i64 %71, ptr %x, align 4
  %75 = load i64, ptr %x, align 4
  %76 = getelementptr inbounds i64, ptr %kept, i64 %lane13
  store i64 %75, ptr %76, align 4, !llvm.access.group !15
  %77 = add nuw i32 %x11, 1
  %78 = icmp ult i32 %77, 64
  br i1 %78, label %x10, label %done14, !llvm.loop !16

done14:                                           ; preds = %x10
  %79 = add nuw i32 %loop9, 1
  %80 = icmp ult i32 %79, %a.len
  br i1 %80, label %loop, label %done15

done15:                                           ; preds = %done14, %done
  br label %x16

x16:                                              ; preds = %x16, %done15
  %x17 = phi i32 [ 0, %done15 ], [ %149, %x16 ]
  %id.x18 = add nuw nsw i32 %chunk3, %x17
  %lane19 = zext i32 %x17 to i64
  %81 = getelementptr inbounds i32, ptr %kept5, i64 %lane19
  %82 = load i32, ptr %81, align 4, !llvm.access.group !18
  %83 = getelementptr inbounds i32, ptr %kept6, i64 %lane19
  %84 = load i32, ptr %83, align 4, !llvm.access.group !18
  %85 = getelementptr inbounds i64, ptr %kept, i64 %lane19
  %86 = load i64, ptr %85, align 4, !llvm.access.group !18
  store i64 %86, ptr %x, align 4
  %87 = load i64, ptr %x, align 4
  %88 = trunc i64 %87 to i32
  %89 = lshr i64 %87, 32
  %90 = trunc i64 %89 to i32
  %91 = zext i32 %84 to i64
  %92 = shl i64 %91, 32
  %93 = zext i32 %82 to i64
  %94 = or i64 %92, %93
  %95 = mul i64 %87, %94
  %96 = zext i64 %87 to i128
  %97 = zext i64 %94 to i128
  %98 = mul i128 %96, %97
  %99 = lshr i128 %98, 64
  %100 = trunc i128 %99 to i64
  %101 = mul i64 %87, 0
  %102 = add i64 %100, %101
  %103 = mul i64 0, %94
  %104 = add i64 %102, %103
  %105 = trunc i64 %95 to i32
  %106 = lshr i64 %95, 32
  %107 = trunc i64 %106 to i32
  %108 = trunc i64 %104 to i32
  %109 = lshr i64 %104, 32
  %110 = trunc i64 %109 to i32
  %111 = load i64, ptr %x, align 4
  %112 = trunc i64 %111 to i32
  %113 = lshr i64 %111, 32
  %114 = trunc i64 %113 to i32
  %115 = zext i32 %84 to i64
  %116 = shl i64 %115, 32
  %117 = zext i32 %82 to i64
  %118 = or i64 %116, %117
  %119 = icmp eq i64 %118, 0
  %120 = select i1 %119, i64 1, i64 %118
  %121 = udiv i64 %111, %120
  %122 = select i1 %119, i64 0, i64 %121
  %123 = trunc i64 %122 to i32
  %124 = lshr i64 %122, 32
  %125 = trunc i64 %124 to i32
  %126 = select i1 true, i64 0, i64 %104
  %127 = select i1 true, i64 %104, i64 %95
  %128 = shl i64 %126, 1
  %129 = shl i64 %128, 63
  %130 = lshr i64 %127, 0
  %131 = or i64 %130, %129
  %132 = lshr i64 %126, 0
  %133 = trunc i64 %131 to i32
  %134 = lshr i64 %131, 32
  %135 = trunc i64 %134 to i32
  %136 = trunc i64 %132 to i32
  %137 = lshr i64 %132, 32
  %138 = trunc i64 %137 to i32
  %139 = add i64 %122, %131
  %140 = trunc i64 %139 to i32
  %141 = lshr i64 %139, 32
  %142 = trunc i64 %141 to i32
  %143 = zext i32 %142 to i64
  %144 = shl i64 %143, 32
  %145 = zext i32 %140 to i64
  %146 = or i64 %144, %145
  %147 = zext i32 %id.x18 to i64
  %148 = getelementptr inbounds [2 x i32], ptr %out, i64 %147, i64 0
  store i64 %146, ptr %148, align 4, !alias.scope !19, !noalias !20, !llvm.access.group !18
  %149 = add nuw i32 %x17, 1
  %150 = icmp ult i32 %149, 64
  br i1 %150, label %x16, label %done20, !llvm.loop !21

done20:                                           ; preds = %x16
  br label %next

apart:                                            ; preds = %chunk
  %151 = call i32 @llvm.umin.i32(i32 %end4, i32 %x.end)
  %152 = icmp ult i32 %chunk3, %151
  br i1 %152, label %x21, label %done30

x21:                                              ; preds = %endif29, %apart
  %x22 = phi i32 [ %chunk3, %apart ], [ %257, %endif29 ]
  store i64 0, ptr %load, align 4
  %153 = icmp ult i32 %x22, %a.len
  br i1 %153, label %then, label %endif

then:                                             ; preds = %x21
  %154 = zext i32 %x22 to i64
  %155 = getelementptr inbounds [2 x i32], ptr %a, i64 %154, i64 0
  %156 = load i64, ptr %155, align 4, !alias.scope !1, !noalias !4
  %157 = trunc i64 %156 to i32
  %158 = lshr i64 %156, 32
  %159 = trunc i64 %158 to i32
  store i64 %156, ptr %load, align 4
  br label %endif

endif:                                            ; preds = %then, %x21
  %160 = load i64, ptr %load, align 4
  %161 = trunc i64 %160 to i32
  %162 = lshr i64 %160, 32
  %163 = trunc i64 %162 to i32
  store i64 %160, ptr %x, align 4
  store i64 0, ptr %load2, align 4
  %164 = icmp ult i32 %x22, %b.len
  br i1 %164, label %then23, label %endif24

then23:                                           ; preds = %endif
  %165 = zext i32 %x22 to i64
  %166 = getelementptr inbounds [2 x i32], ptr %b, i64 %165, i64 0
  %167 = load i64, ptr %166, align 4, !alias.scope !7, !noalias !8
  %168 = trunc i64 %167 to i32
  %169 = lshr i64 %167, 32
  %170 = trunc i64 %169 to i32
  store i64 %167, ptr %load2, align 4
  br label %endif24

endif24:                                          ; preds = %then23, %endif
  %171 = load i64, ptr %load2, align 4
  %172 = trunc i64 %171 to i32
  %173 = lshr i64 %171, 32
  %174 = trunc i64 %173 to i32
  %175 = icmp ult i32 0, %a.len
  br i1 %175, label %loop25, label %done27

loop25:                                           ; preds = %loop25, %endif24
  %loop26 = phi i32 [ 0, %endif24 ], [ %192, %loop25 ]
  %176 = load i64, ptr %x, align 4
  %177 = trunc i64 %176 to i32
  %178 = lshr i64 %176, 32
  %179 = trunc i64 %178 to i32
  %180 = zext i32 %174 to i64
  %181 = shl i64 %180, 32
  %182 = zext i32 %172 to i64
  %183 = or i64 %181, %182
  %184 = mul i64 %176, %183
  %185 = trunc i64 %184 to i32
  %186 = lshr i64 %184, 32
  %187 = trunc i64 %186 to i32
  %188 = add i64 %184, 1442695040888963407
  %189 = trunc i64 %188 to i32
  %190 = lshr i64 %188, 32
  %191 = trunc i64 %190 to i32
  store i64 %188, ptr %x, align 4
  %192 = add nuw i32 %loop26, 1
  %193 = icmp ult i32 %192, %a.len
  br i1 %193, label %loop25, label %done27

done27:                                           ; preds = %loop25, %endif24
  %194 = load i64, ptr %x, align 4
  %195 = trunc i64 %194 to i32
  %196 = lshr i64 %194, 32
  %197 = trunc i64 %196 to i32
  %198 = zext i32 %174 to i64
  %199 = shl i64 %198, 32
  %200 = zext i32 %172 to i64
  %201 = or i64 %199, %200
  %202 = mul i64 %194, %201
  %203 = zext i64 %194 to i128
  %204 = zext i64 %201 to i128
  %205 = mul i128 %203, %204
  %206 = lshr i128 %205, 64
  %207 = trunc i128 %206 to i64
  %208 = mul i64 %194, 0
  %209 = add i64 %207, %208
  %210 = mul i64 0, %201
  %211 = add i64 %209, %210
  %212 = trunc i64 %202 to i32
  %213 = lshr i64 %202, 32
  %214 = trunc i64 %213 to i32
  %215 = trunc i64 %211 to i32
  %216 = lshr i64 %211, 32
  %217 = trunc i64 %216 to i32
  %218 = load i64, ptr %x, align 4
  %219 = trunc i64 %218 to i32
  %220 = lshr i64 %218, 32
  %221 = trunc i64 %220 to i32
  %222 = zext i32 %174 to i64
  %223 = shl i64 %222, 32
  %224 = zext i32 %172 to i64
  %225 = or i64 %223, %224
  %226 = icmp eq i64 %225, 0
  %227 = select i1 %226, i64 1, i64 %225
  %228 = udiv i64 %218, %227
  %229 = select i1 %226, i64 0, i64 %228
  %230 = trunc i64 %229 to i32
  %231 = lshr i64 %229, 32
  %232 = trunc i64 %231 to i32
  %233 = select i1 true, i64 0, i64 %211
  %234 = select i1 true, i64 %211, i64 %202
  %235 = shl i64 %233, 1
  %236 = shl i64 %235, 63
  %237 = lshr i64 %234, 0
  %238 = or i64 %237, %236
  %239 = lshr i64 %233, 0
  %240 = trunc i64 %238 to i32
  %241 = lshr i64 %238, 32
  %242 = trunc i64 %241 to i32
  %243 = trunc i64 %239 to i32
  %244 = lshr i64 %239, 32
  %245 = trunc i64 %244 to i32
  %246 = add i64 %229, %238
  %247 = trunc i64 %246 to i32
  %248 = lshr i64 %246, 32
  %249 = trunc i64 %248 to i32
  %250 = icmp ult i32 %x22, %out.len
  br i1 %250, label %then28, label %endif29

then28:                                           ; preds = %done27
  %251 = zext i32 %249 to i64
  %252 = shl i64 %251, 32
  %253 = zext i32 %247 to i64
  %254 = or i64 %252, %253
  %255 = zext i32 %x22 to i64
  %256 = getelementptr inbounds [2 x i32], ptr %out, i64 %255, i64 0
  store i64 %254, ptr %256, align 4, !alias.scope !19, !noalias !20
  br label %endif29

endif29:                                          ; preds = %then28, %done27
  %257 = add nuw i32 %x22, 1
  %258 = icmp ult i32 %257, %151
  br i1 %258, label %x21, label %done30, !llvm.loop !23

done30:                                           ; preds = %endif29, %apart
  br label %next

next:                                             ; preds = %done30, %done20
  %259 = add nuw i32 %chunk3, 64
  %260 = icmp ult i32 %259, %x.end
  br i1 %260, label %chunk, label %done31

done31:                                           ; preds = %next, %row
  %261 = add i64 %group, %take
  %262 = icmp ult i64 %261, %end
  br i1 %262, label %row, label %finish

finish:                                           ; preds = %done31, %entry
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #1

attributes #0 = { mustprogress nounwind willreturn "denormal-fp-math"="ieee,ieee" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = distinct !{}
!1 = !{!2}
!2 = distinct !{!2, !3}
!3 = distinct !{!3, !"long"}
!4 = !{!5, !6}
!5 = distinct !{!5, !3}
!6 = distinct !{!6, !3}
!7 = !{!5}
!8 = !{!2, !6}
!9 = distinct !{!9, !10, !11, !12}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = !{!"llvm.loop.parallel_accesses", !0}
!12 = !{!"llvm.loop.vectorize.followup_vectorized", !13, !14}
!13 = !{!"llvm.loop.isvectorized", i32 1}
!14 = !{!"llvm.loop.unroll.full"}
!15 = distinct !{}
!16 = distinct !{!16, !10, !17, !12}
!17 = !{!"llvm.loop.parallel_accesses", !15}
!18 = distinct !{}
!19 = !{!6}
!20 = !{!2, !5}
!21 = distinct !{!21, !10, !22, !12}
!22 = !{!"llvm.loop.parallel_accesses", !18}
!23 = distinct !{!23, !10, !24}
!24 = !{!"llvm.loop.vectorize.enable", i1 false}
