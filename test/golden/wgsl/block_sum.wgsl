// block_sum: groups of 256 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read> b_input: array<u32>;  // read @0: u32
@group(0) @binding(1) var<storage, read_write> b_sums: array<u32>;  // read_write @1: u32
@group(0) @binding(2) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each
var<workgroup> b_scratch: array<u32, 256>;  // 256 of u32

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let n0 = 0u;
  let n2 = 2u;
  let n3 = 3u;
  let n4 = 4u;
  let n31 = 31u;
  let n64 = 64u;
  let n256 = 256u;
  let len_input = counts[0].x;
  let len_sums = counts[0].y;
  let local_x = thread;
  let group_x = groups.x;
  let invocation_x = (group_x * n256) + local_x;
  let v3 = invocation_x < len_input;
  let v4 = select(n0, invocation_x, v3);
  let v5 = b_input[v4];
  let v6 = select(n0, v5, v3);
  let v7 = local_x < n256;
  if (v7) {
    b_scratch[local_x] = v6;
  }
  storageBarrier(); workgroupBarrier();
  for (var v8 = n0; v8 < n4; v8++) {
    let v9 = v8 * n2;
    let v10 = v9 & n31;
    let v11 = n64 >> v10;
    let v12 = local_x < v11;
    if (v12) {
      let v13 = local_x < n256;
      let v14 = select(n0, local_x, v13);
      let v15 = b_scratch[v14];
      let v16 = select(n0, v15, v13);
      let v17 = local_x + v11;
      let v18 = v17 < n256;
      let v19 = select(n0, v17, v18);
      let v20 = b_scratch[v19];
      let v21 = select(n0, v20, v18);
      let v22 = v16 + v21;
      let v23 = v11 * n2;
      let v24 = local_x + v23;
      let v25 = v24 < n256;
      let v26 = select(n0, v24, v25);
      let v27 = b_scratch[v26];
      let v28 = select(n0, v27, v25);
      let v29 = v11 * n3;
      let v30 = local_x + v29;
      let v31 = v30 < n256;
      let v32 = select(n0, v30, v31);
      let v33 = b_scratch[v32];
      let v34 = select(n0, v33, v31);
      let v35 = v28 + v34;
      let v36 = v22 + v35;
      let v37 = local_x < n256;
      if (v37) {
        b_scratch[local_x] = v36;
      }
    }
    storageBarrier(); workgroupBarrier();
  }
  let v38 = local_x == n0;
  if (v38) {
    let v40 = n0 < n256;
    let v41 = select(n0, n0, v40);
    let v42 = b_scratch[v41];
    let v43 = select(n0, v42, v40);
    let v45 = group_x < len_sums;
    if (v45) {
      b_sums[group_x] = v43;
    }
  }
}
