# Local names of different files clash, so each file is a unit of its own.
set_target_properties(test_${name} PROPERTIES UNITY_BUILD OFF)
