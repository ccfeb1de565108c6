// halves: groups of 4 x 1 x 1, as one axis
@group(0) @binding(0) var<storage, read_write> b_h: array<atomic<u32>>;  // read_write @0: f16
@group(0) @binding(1) var<storage, read_write> b_f: array<u32>;  // read_write @1: f32
@group(0) @binding(2) var<uniform> counts: array<vec4<u32>, 1>;  // elements of each
var<workgroup> b_scratch: array<atomic<u32>, 2>;  // 3 of bf16

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) thread: u32) {
  let n0 = 0u;
  let n1 = 1u;
  let n2 = 2u;
  let n3 = 3u;
  let n4 = 4u;
  let n65535 = 65535u;
  let h3fc00000 = 0x3fc00000u;
  let len_h = counts[0].x;
  let len_f = counts[0].y;
  let local_x = thread;
  let v2 = local_x < len_h;
  let v3 = select(n0, local_x, v2);
  let v4 = v3 >> n1;
  let v5 = v3 & n1;
  let v6 = v5 << n4;
  let v7 = atomicLoad(&b_h[v4]);
  let v8 = v7 >> v6;
  let v9 = v8 & n65535;
  let v10 = select(n0, v9, v2);
  let v11 = local_x < n3;
  if (v11) {
    let v12 = local_x >> n1;
    let v13 = local_x & n1;
    let v14 = v13 << n4;
    let v15 = n65535 << v14;
    let v16 = ~v15;
    atomicAnd(&b_scratch[v12], v16);
    let v18 = v10 << v14;
    atomicOr(&b_scratch[v12], v18);
  }
  storageBarrier(); workgroupBarrier();
  let v20 = n2 >> n1;
  let v22 = n0 << n4;
  let v23 = atomicLoad(&b_scratch[v20]);
  let v24 = v23 >> v22;
  let v25 = v24 & n65535;
  let v27 = local_x < len_h;
  if (v27) {
    let v28 = local_x >> n1;
    let v29 = local_x & n1;
    let v30 = v29 << n4;
    let v31 = n65535 << v30;
    let v32 = ~v31;
    atomicAnd(&b_h[v28], v32);
    let v34 = v25 << v30;
    atomicOr(&b_h[v28], v34);
  }
  let v37 = local_x >> n1;
  let v38 = v37 >> n1;
  let v39 = v37 & n1;
  let v40 = v39 << n4;
  let v41 = atomicLoad(&b_scratch[v38]);
  let v42 = v41 >> v40;
  let v43 = v42 & n65535;
  let v44 = local_x != n0;
  let v45 = select(v43, h3fc00000, v44);
  let v47 = local_x < len_f;
  if (v47) {
    b_f[local_x] = v45;
  }
}
