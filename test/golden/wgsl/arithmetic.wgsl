// arithmetic: groups of 1 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read> b_a: array<u32>;  // read @0: u32
@group(0) @binding(1) var<storage, read> b_b: array<u32>;  // read @1: i32
@group(0) @binding(2) var<storage, read_write> b_out: array<u32>;  // read_write @2: u32
@group(0) @binding(3) var<storage, read_write> b_signed: array<u32>;  // read_write @3: i32
@group(0) @binding(4) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each

@compute @workgroup_size(1)
fn main() {
  let n0 = 0u;
  let n1 = 1u;
  let n2 = 2u;
  let n3 = 3u;
  let n31 = 31u;
  let n32 = 32u;
  let h80000000 = 0x80000000u;
  let hffffffff = 0xffffffffu;
  let len_a = counts[0].x;
  let len_b = counts[0].y;
  let len_out = counts[0].z;
  let len_signed = counts[0].w;
  let v1 = n0 < len_a;
  let v2 = select(n0, n0, v1);
  let v3 = b_a[v2];
  let v4 = select(n0, v3, v1);
  let v6 = n1 < len_a;
  let v7 = select(n0, n1, v6);
  let v8 = b_a[v7];
  let v9 = select(n0, v8, v6);
  let v11 = n0 < len_b;
  let v12 = select(n0, n0, v11);
  let v13 = b_b[v12];
  let v14 = select(n0, v13, v11);
  let v16 = n1 < len_b;
  let v17 = select(n0, n1, v16);
  let v18 = b_b[v17];
  let v19 = select(n0, v18, v16);
  let v20 = v9 == n0;
  let v21 = select(v9, n1, v20);
  let v22 = v4 / v21;
  let v23 = select(v22, n0, v20);
  let v25 = n0 < len_out;
  if (v25) {
    b_out[n0] = v23;
  }
  let v26 = v9 == n0;
  let v27 = select(v9, n1, v26);
  let v28 = v4 % v27;
  let v30 = n1 < len_out;
  if (v30) {
    b_out[n1] = v28;
  }
  let v31 = v19 == n0;
  let v32 = v14 == h80000000;
  let v33 = v19 == hffffffff;
  let v34 = v32 & v33;
  let v35 = v31 | v34;
  let v36 = select(v19, n1, v35);
  let v37 = bitcast<u32>(bitcast<i32>(v14) / bitcast<i32>(v36));
  let v38 = select(v37, n0, v31);
  let v40 = n0 < len_signed;
  if (v40) {
    b_signed[n0] = v38;
  }
  let v41 = v19 == n0;
  let v42 = v14 == h80000000;
  let v43 = v19 == hffffffff;
  let v44 = v42 & v43;
  let v45 = v41 | v44;
  let v46 = select(v19, n1, v45);
  let v47 = v14 - (bitcast<u32>(bitcast<i32>(v14) / bitcast<i32>(v46)) * v46);
  let v49 = n1 < len_signed;
  if (v49) {
    b_signed[n1] = v47;
  }
  let v50 = v9 & n31;
  let v51 = v4 << v50;
  let v52 = v9 & n31;
  let v53 = v4 >> v52;
  let v54 = v51 ^ v53;
  let v56 = n2 < len_out;
  if (v56) {
    b_out[n2] = v54;
  }
  let v57 = v9 & n31;
  let v58 = bitcast<u32>(bitcast<i32>(v14) >> v57);
  let v60 = n2 < len_signed;
  if (v60) {
    b_signed[n2] = v58;
  }
  let v61 = v4 == n0;
  let v62 = select(v4, n1, v61);
  let v63 = countLeadingZeros(v62);
  let v64 = select(v63, n32, v61);
  let v65 = v4 == n0;
  let v66 = select(v4, n1, v65);
  let v67 = countTrailingZeros(v66);
  let v68 = select(v67, n32, v65);
  let v69 = v64 + v68;
  let v70 = countOneBits(v4);
  let v71 = v69 + v70;
  let v72 = reverseBits(v4);
  let v73 = v71 + v72;
  let v75 = n3 < len_out;
  if (v75) {
    b_out[n3] = v73;
  }
  let v76 = n0 - v14;
  let v78 = n3 < len_signed;
  if (v78) {
    b_signed[n3] = v76;
  }
}
