// histogram: groups of 64 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read> b_data: array<u32>;  // read @0: bytes
@group(0) @binding(1) var<storage, read> b_params: array<u32>;  // uniform @1: u32
@group(0) @binding(2) var<storage, read_write> b_bins: array<atomic<u32>>;  // read_write @2: u32
@group(0) @binding(3) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each
var<workgroup> b_counts: array<u32, 4096>;  // 4096 of u32

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>, @builtin(num_workgroups) num_groups: vec3<u32>) {
  let n0 = 0u;
  let n1 = 1u;
  let n4 = 4u;
  let n6 = 6u;
  let n8 = 8u;
  let n16 = 16u;
  let n31 = 31u;
  let n62 = 62u;
  let n63 = 63u;
  let n64 = 64u;
  let n128 = 128u;
  let n192 = 192u;
  let n255 = 255u;
  let n65535 = 65535u;
  let hff00ff = 0xff00ffu;
  let len_data = counts[0].x;
  let len_params = counts[0].y;
  let len_bins = counts[0].z;
  let local_x = thread;
  let group_x = groups.x;
  let invocation_x = (group_x * n64) + local_x;
  let groups_x = num_groups.x;
  var s0_even: u32;
  var s1_odd: u32;
  let v2 = n0 < len_params;
  let v3 = select(n0, n0, v2);
  let v4 = b_params[v3];
  let v5 = select(n0, v4, v2);
  let v6 = n4 == n0;
  let v7 = select(n4, n1, v6);
  let v8 = v5 / v7;
  let v9 = select(v8, n0, v6);
  let v10 = n4 == n0;
  let v11 = select(n4, n1, v10);
  let v12 = v5 % v11;
  let v13 = v12 != n0;
  let v14 = v9 + u32(v13);
  let v16 = groups_x * n64;
  let v17 = v16 == n0;
  let v18 = select(v16, n1, v17);
  let v19 = v14 / v18;
  let v20 = select(v19, n0, v17);
  let v21 = v16 == n0;
  let v22 = select(v16, n1, v21);
  let v23 = v14 % v22;
  let v24 = v23 != n0;
  let v25 = v20 + u32(v24);
  let v26 = v25 + n62;
  let v27 = n63 == n0;
  let v28 = select(n63, n1, v27);
  let v29 = v26 / v28;
  let v30 = select(v29, n0, v27);
  for (var v31 = n0; v31 < v30; v31++) {
    let v32 = v31 * n63;
    let v33 = v31 * n63;
    let v34 = v33 + n63;
    let v35 = v34 < v25;
    let v36 = select(v25, v34, v35);
    for (var v37 = v32; v37 < v36; v37++) {
      let v38 = v37 * v16;
      let v40 = v38 + invocation_x;
      let v42 = v40 < len_data;
      let v43 = select(n0, v40, v42);
      let v44 = b_data[v43];
      let v45 = select(n0, v44, v42);
      for (var v46 = n0; v46 < n4; v46++) {
        let v47 = v40 * n4;
        let v48 = v47 + v46;
        let v49 = v48 < v5;
        if (v49) {
          let v50 = v46 * n8;
          let v51 = v50 & n31;
          let v52 = v45 >> v51;
          let v53 = v52 & n255;
          let v54 = v53 & n63;
          let v56 = v54 << n6;
          let v57 = v56 | local_x;
          let v58 = b_counts[v57];
          let v60 = v53 >> n6;
          let v61 = v60 * n8;
          let v62 = v61 & n31;
          let v63 = n1 << v62;
          let v64 = v58 + v63;
          b_counts[v57] = v64;
        }
      }
    }
    storageBarrier(); workgroupBarrier();
    s0_even = n0;
    s1_odd = n0;
    for (var v65 = n0; v65 < n64; v65++) {
      let v67 = local_x << n6;
      let v68 = local_x + v65;
      let v69 = v68 & n63;
      let v70 = v67 | v69;
      let v71 = b_counts[v70];
      let v72 = s0_even;
      let v73 = v71 & hff00ff;
      let v74 = v72 + v73;
      s0_even = v74;
      let v75 = s1_odd;
      let v77 = v71 >> n8;
      let v78 = v77 & hff00ff;
      let v79 = v75 + v78;
      s1_odd = v79;
      b_counts[v70] = n0;
    }
    let v80 = s0_even;
    let v81 = v80 & n65535;
    let v83 = local_x < len_bins;
    if (v83) {
      atomicAdd(&b_bins[local_x], v81);
    }
    let v86 = local_x + n64;
    let v87 = s1_odd;
    let v88 = v87 & n65535;
    let v90 = v86 < len_bins;
    if (v90) {
      atomicAdd(&b_bins[v86], v88);
    }
    let v93 = local_x + n128;
    let v94 = s0_even;
    let v96 = v94 >> n16;
    let v98 = v93 < len_bins;
    if (v98) {
      atomicAdd(&b_bins[v93], v96);
    }
    let v101 = local_x + n192;
    let v102 = s1_odd;
    let v104 = v102 >> n16;
    let v106 = v101 < len_bins;
    if (v106) {
      atomicAdd(&b_bins[v101], v104);
    }
    storageBarrier(); workgroupBarrier();
  }
}
