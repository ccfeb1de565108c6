# All sentences of the cross product, a minute or more.
add_test(NAME unit.symbolic.cross_product COMMAND test_symbolic --gtest_brief=1 --gtest_also_run_disabled_tests
         --gtest_filter=CrossProductNightly.*)
vyre_weekly(unit.symbolic.cross_product)
