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
  let v20 = n2 < n3;
  let v21 = select(n0, n2, v20);
  let v22 = v21 >> n1;
  let v23 = v21 & n1;
  let v24 = v23 << n4;
  let v25 = atomicLoad(&b_scratch[v22]);
  let v26 = v25 >> v24;
  let v27 = v26 & n65535;
  let v28 = select(n0, v27, v20);
  let v30 = local_x < len_h;
  if (v30) {
    let v31 = local_x >> n1;
    let v32 = local_x & n1;
    let v33 = v32 << n4;
    let v34 = n65535 << v33;
    let v35 = ~v34;
    atomicAnd(&b_h[v31], v35);
    let v37 = v28 << v33;
    atomicOr(&b_h[v31], v37);
  }
  let v40 = local_x >> n1;
  let v41 = v40 < n3;
  let v42 = select(n0, v40, v41);
  let v43 = v42 >> n1;
  let v44 = v42 & n1;
  let v45 = v44 << n4;
  let v46 = atomicLoad(&b_scratch[v43]);
  let v47 = v46 >> v45;
  let v48 = v47 & n65535;
  let v49 = select(n0, v48, v41);
  let v50 = local_x != n0;
  let v51 = select(v49, h3fc00000, v50);
  let v53 = local_x < len_f;
  if (v53) {
    b_f[local_x] = v51;
  }
}
