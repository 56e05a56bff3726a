#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
exec "$(dirname "$0")/../../../build/fresh.sh" trixie
