// histogram: groups of 64 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read> b_data: array<u32>;  // read @0: bytes
@group(0) @binding(1) var<storage, read> b_params: array<u32>;  // uniform @1: u32
@group(0) @binding(2) var<storage, read_write> b_bins: array<atomic<u32>>;  // read_write @2: u32
@group(0) @binding(3) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let n0 = 0u;
  let n1 = 1u;
  let n2 = 2u;
  let n3 = 3u;
  let n8 = 8u;
  let n31 = 31u;
  let n64 = 64u;
  let n255 = 255u;
  let len_data = counts[0].x;
  let len_params = counts[0].y;
  let len_bins = counts[0].z;
  let local_x = thread;
  let group_x = groups.x;
  let invocation_x = (group_x * n64) + local_x;
  let v2 = n0 < len_params;
  let v3 = select(n0, n0, v2);
  let v4 = b_params[v3];
  let v5 = select(n0, v4, v2);
  let v6 = invocation_x < v5;
  if (v6) {
    let v8 = invocation_x >> n2;
    let v10 = v8 < len_data;
    let v11 = select(n0, v8, v10);
    let v12 = b_data[v11];
    let v13 = select(n0, v12, v10);
    let v14 = invocation_x & n3;
    let v15 = v14 * n8;
    let v16 = v15 & n31;
    let v17 = v13 >> v16;
    let v18 = v17 & n255;
    let v20 = v18 < len_bins;
    if (v20) {
      atomicAdd(&b_bins[v18], n1);
    }
  }
}
