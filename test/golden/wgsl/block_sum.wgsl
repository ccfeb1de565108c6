// block_sum: groups of 256 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read> b_input: array<u32>;  // read @0: u32
@group(0) @binding(1) var<storage, read_write> b_sums: array<u32>;  // read_write @1: u32
@group(0) @binding(2) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each
var<workgroup> b_scratch: array<u32, 256>;  // 256 of u32

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let n0 = 0u;
  let n8 = 8u;
  let n31 = 31u;
  let n128 = 128u;
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
  for (var v8 = n0; v8 < n8; v8++) {
    let v9 = v8 & n31;
    let v10 = n128 >> v9;
    let v11 = local_x < v10;
    if (v11) {
      let v12 = local_x < n256;
      let v13 = select(n0, local_x, v12);
      let v14 = b_scratch[v13];
      let v15 = select(n0, v14, v12);
      let v16 = local_x + v10;
      let v17 = v16 < n256;
      let v18 = select(n0, v16, v17);
      let v19 = b_scratch[v18];
      let v20 = select(n0, v19, v17);
      let v21 = v15 + v20;
      let v22 = local_x < n256;
      if (v22) {
        b_scratch[local_x] = v21;
      }
    }
    storageBarrier(); workgroupBarrier();
  }
  let v23 = local_x == n0;
  if (v23) {
    let v25 = n0 < n256;
    let v26 = select(n0, n0, v25);
    let v27 = b_scratch[v26];
    let v28 = select(n0, v27, v25);
    let v30 = group_x < len_sums;
    if (v30) {
      b_sums[group_x] = v28;
    }
  }
}
