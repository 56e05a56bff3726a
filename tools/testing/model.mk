# SPDX-License-Identifier: GPL-2.0

MODEL	:= tools/testing/model
MODEL_TAP := $(O)/test/model$(if $(MODEL_FULL),-full).tap

.PHONY: test-model
test-model: $(MODEL_TAP) ## check the model of request, completion, reset and cancel (MODEL_FULL=1: larger bounds)
	@prove --exec cat $<
TEST_ALL_TARGETS += test-model
INPUTS_test-model := tools/testing/model

# What Spin says depends on the model alone: ask again when that changed.
$(MODEL_TAP): $(MODEL)/deferred.pml $(MODEL)/check.t
	@tools/build/packages.sh spin gcc libc6-dev
	@mkdir -p $(@D)
	@MODEL_FULL='$(MODEL_FULL)' $(MODEL)/check.t >$@.tmp
	@mv $@.tmp $@
