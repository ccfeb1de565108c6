// sum: groups of 64 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read> b_a: array<u32>;  // read @0: f32
@group(0) @binding(1) var<storage, read_write> b_b: array<u32>;  // read_write @1: f32
@group(0) @binding(2) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let n0 = 0u;
  let n1 = 1u;
  let n7 = 7u;
  let n8 = 8u;
  let n23 = 23u;
  let n31 = 31u;
  let n32 = 32u;
  let n64 = 64u;
  let n128 = 128u;
  let n255 = 255u;
  let h7f800000 = 0x7f800000u;
  let h7fc00000 = 0x7fc00000u;
  let h7fffffff = 0x7fffffffu;
  let h80000000 = 0x80000000u;
  let len_a = counts[0].x;
  let len_b = counts[0].y;
  let local_x = thread;
  let group_x = groups.x;
  let invocation_x = (group_x * n64) + local_x;
  let v2 = invocation_x < len_a;
  let v3 = select(n0, invocation_x, v2);
  let v4 = b_a[v3];
  let v5 = select(n0, v4, v2);
  let v7 = invocation_x < len_b;
  let v8 = select(n0, invocation_x, v7);
  let v9 = b_b[v8];
  let v10 = select(n0, v9, v7);
  let v11 = v5 & h7fffffff;
  let v12 = v10 & h7fffffff;
  let v13 = v11 < v12;
  let v14 = select(v5, v10, v13);
  let v15 = select(v10, v5, v13);
  let v16 = v14 & h7fffffff;
  let v17 = v15 & h7fffffff;
  let v19 = v16 >> n23;
  let v20 = v19 != n0;
  let v21 = v19 - u32(v20);
  let v23 = v21 << n23;
  let v24 = v16 - v23;
  let v26 = v24 << n7;
  let v28 = v17 >> n23;
  let v29 = v28 != n0;
  let v30 = v28 - u32(v29);
  let v32 = v30 << n23;
  let v33 = v17 - v32;
  let v35 = v33 << n7;
  let v36 = v21 - v30;
  let v37 = v36 < n31;
  let v38 = select(n31, v36, v37);
  let v39 = v38 & n31;
  let v40 = v35 >> v39;
  let v41 = v38 & n31;
  let v42 = v40 << v41;
  let v43 = v42 != v35;
  let v44 = v40 | u32(v43);
  let v45 = v5 ^ v10;
  let v47 = v45 >> n31;
  let v48 = v26 - v44;
  let v49 = v26 + v44;
  let v50 = v47 != n0;
  let v51 = select(v49, v48, v50);
  let v52 = v21 + n1;
  let v53 = v51 | n1;
  let v54 = v53 == n0;
  let v55 = select(v53, n1, v54);
  let v56 = countLeadingZeros(v55);
  let v57 = select(v56, n32, v54);
  let v58 = v57 < v52;
  let v59 = select(v52, v57, v58);
  let v60 = v59 & n31;
  let v61 = v51 << v60;
  let v63 = v61 >> n8;
  let v64 = v52 - v59;
  let v66 = v64 << n23;
  let v67 = v66 + v63;
  let v68 = v61 & n255;
  let v69 = v63 & n1;
  let v70 = v68 | v69;
  let v71 = n128 < v70;
  let v72 = v67 + u32(v71);
  let v73 = v72 < h7f800000;
  let v74 = select(h7f800000, v72, v73);
  let v75 = h7f800000 < v16;
  let v76 = v17 == h7f800000;
  let v77 = v47 & u32(v76);
  let v78 = u32(v75) | v77;
  let v79 = v51 == n0;
  let v80 = v5 & v10;
  let v81 = v80 & h80000000;
  let v82 = v14 & h80000000;
  let v83 = h7f800000 <= v16;
  let v84 = select(v74, h7f800000, v83);
  let v85 = v82 | v84;
  let v86 = select(v85, v81, v79);
  let v87 = select(v86, h7fc00000, (v78 != n0));
  let v89 = invocation_x < len_b;
  if (v89) {
    b_b[invocation_x] = v87;
  }
}
