// shapes: groups of 4 x 2 x 3, as one axis
@group(0) @binding(0) var<storage, read> b_override: array<u32>;  // read @1: u64
@group(0) @binding(1) var<storage, read> b_discard: array<u32>;  // uniform @4: u32
@group(0) @binding(2) var<storage, read_write> b_storage: array<atomic<u32>>;  // read_write @6: bf16
@group(0) @binding(3) var<storage, read> b_unused: array<u32>;  // read @9: u32
@group(0) @binding(4) var<storage, read_write> b_atomic: array<atomic<u32>>;  // read_write @7: u32
@group(0) @binding(5) var<uniform> counts: array<vec4<u32>, 2>;  // elements of each
var<workgroup> b_private: array<u32, 80>;  // 40 of vec2u32

@compute @workgroup_size(24)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let n0 = 0u;
  let n1 = 1u;
  let n2 = 2u;
  let n3 = 3u;
  let n4 = 4u;
  let n8 = 8u;
  let n9 = 9u;
  let n40 = 40u;
  let n100 = 100u;
  let n65535 = 65535u;
  let len_override = counts[0].x;
  let len_discard = counts[0].y;
  let len_storage = counts[0].z;
  let len_unused = counts[0].w;
  let len_atomic = counts[1].x;
  _ = b_unused[0];
  let local_x = thread % n4;
  let group_x = groups.x;
  let invocation_x = (group_x * n4) + local_x;
  let local_y = (thread / n4) % n2;
  let local_z = thread / n8;
  let group_z = groups.z;
  var s0_switch: u32;
  var s1_atomic: u32;
  var s2_atomic: u32;
  let v2 = local_y * n4;
  let v3 = local_x + v2;
  let v5 = local_z * n8;
  let v6 = v3 + v5;
  let v8 = v6 < len_override;
  let v9 = select(n0, v6, v8);
  let v10 = b_override[v9 * n2];
  let v12 = select(n0, v10, v8);
  let v14 = v6 < n40;
  if (v14) {
    b_private[v6 * n2] = v12;
    b_private[(v6 * n2) + n1] = v6;
  }
  storageBarrier(); workgroupBarrier();
  s0_switch = n0;
  let v16 = n0 < len_discard;
  let v17 = select(n0, n0, v16);
  let v18 = b_discard[v17];
  let v19 = select(n0, v18, v16);
  for (var v20 = n0; v20 < v19; v20++) {
    let v21 = v20 == v6;
    if (v21) {
      let v22 = s0_switch;
      let v23 = v20 < n40;
      let v24 = select(n0, v20, v23);
      let v26 = b_private[(v24 * n2) + n1];
      let v28 = select(n0, v26, v23);
      let v29 = v22 + v28;
      s0_switch = v29;
    } else {
      let v30 = s0_switch;
      s2_atomic = n0;
      let v32 = v20 < len_atomic;
      if (v32) {
        var v33: u32;
        loop {
          let turn = atomicCompareExchangeWeak(&b_atomic[v20], v30, v6);
          v33 = turn.old_value;
          if (turn.exchanged || (v33 != v30)) { break; }
        }
        s2_atomic = v33;
      }
      let v34 = s2_atomic;
      s0_switch = v34;
    }
  }
  let v36 = s0_switch;
  let v37 = v36 & n65535;
  let v39 = invocation_x < len_storage;
  if (v39) {
    let v40 = invocation_x >> n1;
    let v41 = invocation_x & n1;
    let v42 = v41 << n4;
    let v43 = n65535 << v42;
    let v44 = ~v43;
    atomicAnd(&b_storage[v40], v44);
    let v46 = v37 << v42;
    atomicOr(&b_storage[v40], v46);
  }
  let v49 = s0_switch;
  s1_atomic = n0;
  let v51 = group_z < len_atomic;
  if (v51) {
    let v52 = atomicMax(&b_atomic[group_z], v49);
    s1_atomic = v52;
  }
  let v53 = s1_atomic;
  let v54 = v6 < n3;
  if (v54) {
    let v55 = v6;
    if (v55 < n9) {
      let v56 = v55 + n100;
      let v58 = v56 < len_atomic;
      if (v58) {
        atomicStore(&b_atomic[v56], v53);
      }
      return;
    }
  }
  let v59 = s0_switch;
  if (v59 != n0) {
    return;
  } else {
    let v62 = len_unused < len_atomic;
    if (v62) {
      atomicStore(&b_atomic[len_unused], v6);
    }
    return;
  }
}
