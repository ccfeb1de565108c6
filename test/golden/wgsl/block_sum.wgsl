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
  b_scratch[local_x] = v6;
  storageBarrier(); workgroupBarrier();
  for (var v7 = n0; v7 < n4; v7++) {
    let v8 = v7 * n2;
    let v9 = v8 & n31;
    let v10 = n64 >> v9;
    let v11 = local_x < v10;
    if (v11) {
      let v12 = b_scratch[local_x];
      let v13 = local_x + v10;
      let v14 = b_scratch[v13];
      let v15 = v12 + v14;
      let v16 = v10 * n2;
      let v17 = local_x + v16;
      let v18 = b_scratch[v17];
      let v19 = v10 * n3;
      let v20 = local_x + v19;
      let v21 = b_scratch[v20];
      let v22 = v18 + v21;
      let v23 = v15 + v22;
      b_scratch[local_x] = v23;
    }
    storageBarrier(); workgroupBarrier();
  }
  let v24 = local_x == n0;
  if (v24) {
    let v26 = b_scratch[n0];
    let v28 = group_x < len_sums;
    if (v28) {
      b_sums[group_x] = v26;
    }
  }
}
