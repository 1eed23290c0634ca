#include "decode/symbols/demangle.h"

#include "util/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The right side is what perf report and c++filt --no-params print. */
static const char *const names[][2] = {
	{ "_Z3fooi", "foo" },
	/* as perf and ocamlfind's tools print them */
	{ "camlCamlinternalFormat__parse_conversion_4377", "CamlinternalFormat.parse_conversion_4377" },
	{ "camlStdlib__Map__$2b$2b_12", "Stdlib.Map.++_12" },
	{ "camlStdlib__code_begin", "Stdlib.code_begin" },
	{ "caml_alloc_small", "caml_alloc_small" },
	{ "camlModule", "camlModule" },
	{ "camlA__$", "A.$" },
	{ "__solver_MOD_step", "solver::step" },
	{ "__my_mod2_MOD_run_all.constprop.0", "my_mod2::run_all.constprop.0" },
	{ "__MOD_step", "__MOD_step" },
	{ "__Solver_MOD_step", "__Solver_MOD_step" },
	{ "solver_MOD_step", "solver_MOD_step" },
	/* of programs that fpc 3.2.2 compiled, as nm lists them */
	{ "SHAPES_$$_ADD_TWO$LONGINT$LONGINT$$LONGINT", "SHAPES.ADD_TWO" },
	{ "SHAPES$_$TSHAPE_$__$$_AREA$LONGINT$$LONGINT", "SHAPES.TSHAPE.AREA" },
	{ "SHAPES$_$ADD_TWO$LONGINT$LONGINT$$LONGINT_$$_INNER$LONGINT$$LONGINT", "SHAPES.ADD_TWO.INNER" },
	{ "P$PROG_$$_LOCAL_ONE$SHORTSTRING", "PROG.LOCAL_ONE" },
	{ "P$Q$_$TA_$_CALC$LONGINT$$LONGINT_$$_DEEP$LONGINT$$LONGINT", "Q.TA.CALC.DEEP" },
	{ "P$Q$_$TA_$_CREATE$$TA_$$_INCTOR", "Q.TA.CREATE.INCTOR" },
	{ "P$Q$_$TB__$_U_$$_V", "Q.TB_.U.V" },
	{ "P$Q$_$TA_$_TIN_$__$$_PM$LONGINT", "Q.TA.TIN.PM" },
	{ "P$Q$_$TA_$_TIN_$_PM$LONGINT_$$_INNEST", "Q.TA.TIN.PM.INNEST" },
	{ "P$Q$_$OUTER0_$$_IN0", "Q.OUTER0.IN0" },
	{ "P$Q$_$OUTER_$LONGINT_$$_IN_", "Q.OUTER_.IN_" },
	{ "P$Q$_$TG$1$CRC9F312717_$_GET$LONGINT$$LONGINT_$$_GN$$LONGINT",
	  "P$Q$_$TG$1$CRC9F312717_$_GET$LONGINT$$LONGINT_$$_GN$$LONGINT" },
	{ "LNFODWRF_$$_POS$$INT64", "LNFODWRF.POS" },
	{ "RTTI_$SYSTEM_$$_DOUBLE$indirect", "RTTI_$SYSTEM_$$_DOUBLE$indirect" },
	{ "IIDSTR_$SYSTEM_$$_IINVOKABLE", "IIDSTR_$SYSTEM_$$_IINVOKABLE" },
	{ "_$SHAPES$_Ld10", "_$SHAPES$_Ld10" },
	{ "_$$_", "_$$_" },
	{ "A_$$_", "A_$$_" },
	{ "_$$_A", "_$$_A" },
	{ "A_$$_b", "A_$$_b" },
	{ "A$_$_$$_B", "A$_$_$$_B" },
	{ "A$_$_$__$$_B", "A$_$_$__$$_B" },
	{ "P$_$$_B", "P$_$$_B" },
	{ "U$_$$_B", "U$_$$_B" },
	{ "U$_$A_$_$$_B", "U$_$A_$_$$_B" },
	/* of GHC 9.0.2's libraries and a program, as its own zDecodeString() decodes their parts */
	{ "base_GHCziBase_map_info", "GHC.Base.map" },
	{ "base_GHCziBase_map_info@plt", "GHC.Base.map@plt" },
	{ "ghczmprim_GHCziClasses_modIntzh_info", "GHC.Classes.modInt#" },
	{ "ghczmprim_GHCziTuple_Z2T_con_info", "GHC.Tuple.(,)" },
	{ "ghczmprim_GHCziTuple_Z0T_closure", "GHC.Tuple.()" },
	{ "ghczmprim_GHCziPrim_Z1H_con_info", "GHC.Prim.(# #)" },
	{ "ghczmprim_GHCziPrim_Z3H_con_info", "GHC.Prim.(#,,#)" },
	{ "ghczmprim_GHCziTypes_ZC_con_info", "GHC.Types.:" },
	{ "containerszm0zi6zi4zi1_DataziMapziInternal_zdwgo5_info", "Data.Map.Internal.$wgo5" },
	{ "GeometryziShapezu2_zdfEqShapezuzdczsze_info", "Geometry.Shape_2.$fEqShape_$c/=" },
	{ "GeometryziShapezu2_CZCHasArea_con_info", "Geometry.Shape_2.C:HasArea" },
	{ "GeometryziShapezu2_namezq_info", "Geometry.Shape_2.name'" },
	{ "Main_zdsinsertWithzuzdszdwzdsgo1_info", "Main.$sinsertWith_$s$w$sgo1" },
	{ "Main_zdwxs_slow", "Main.$wxs" },
	{ "Main_main_info", "Main.main" },
	{ "ZCMain_main_info", ":Main.main" },
	{ "Util_grz0f6Uz0dfUe_info", "Util.gr\xc3\xb6\xc3\x9f\x65" },
	{ "Util_zdwz3bbUz20acUz1f600U_info", "Util.$w\xce\xbb\xe2\x82\xac\xf0\x9f\x98\x80" },
	/* names of C with the same form, and what is encoded in no such way */
	{ "MPI_File_get_info", "MPI_File_get_info" },
	{ "XML_Size_info", "XML_Size_info" },
	{ "Main_size_info", "Main_size_info" },
	{ "Main_zip_info", "Main_zip_info" },
	{ "stg_ap_pp_info", "stg_ap_pp_info" },
	{ "base_GHCziBase_map_srt", "base_GHCziBase_map_srt" },
	{ "GHCziBase_Z65T_info", "GHCziBase_Z65T_info" },
	{ "GHCziBase_Z99999999999999999999999T_info", "GHCziBase_Z99999999999999999999999T_info" },
	{ "GHCziBase_Z2Tx_info", "GHCziBase_Z2Tx_info" },
	{ "GHCziBase_z1fffffUU_info", "GHCziBase_z1fffffUU_info" },
	{ "GHCziBase_z00aU_info", "GHCziBase_z00aU_info" },
	{ "GHCziBase_z0d800U_info", "GHCziBase_z0d800U_info" },
	{ "GHCziBase_a_b_c_info", "GHCziBase_a_b_c_info" },
	{ "GHCzibase_map_info", "GHCzibase_map_info" },
	{ "GHCzi_map_info", "GHCzi_map_info" },
	{ "GHCziBase__info", "GHCziBase__info" },
	{ "GHCziBase_z_info", "GHCziBase_z_info" },
	{ "_GHCziBase_map_info", "_GHCziBase_map_info" },
	{ "_info", "_info" },
	{ "__info", "__info" },
	/* as perf report names them, but for the last two, whose arrays and "<" perf puts wrongly */
	{ "Ljava/lang/String;hashCode()I", "java.lang.String.hashCode()" },
	{ "Ljava/util/HashMap;getNode(ILjava/lang/Object;)Ljava/util/HashMap$Node;",
	  "java.util.HashMap.getNode(int, java.lang.Object)" },
	{ "LMain;<init>([[J[Ljava/lang/String;ZBCDFS)V",
	  "Main.<init>(long[][], java.lang.String[], boolean, byte, char, double, float, short)" },
	{ "LA;b([[[Z)V", "A.b(boolean[][][])" },
	{ "LMain;broken(Q)V", "LMain;broken(Q)V" },
	{ "LMain;broken(I", "LMain;broken(I" },
	{ "LMain;broken([)V", "LMain;broken([)V" },
	{ "LMain;broken(L;)V", "LMain;broken(L;)V" },
	{ "LMain;(I)V", "LMain;(I)V" },
	{ "Lx;y", "Lx;y" },
	{ "L;y()V", "L;y()V" },
	{ "L;", "L;" },
	{ "_Z3fooi.isra.0", "foo" },
	{ "_Z3fooi@plt", "foo@plt" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
	{ "_ZN12_GLOBAL__N_14anonEi", "(anonymous namespace)::anon" },
	{ "_ZZ4mainENKUliiE_clEii", "main::{lambda(int, int)#1}::operator()" },
	{ "_ZNK2ns3BoxIiLi4EEltERKS1_", "ns::Box<int, 4>::operator<" },
	{ "_ZTv0_n24_N1BD0Ev", "virtual thunk to B::~B()" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	{ "_D3std5stdio7writelnFZv", "std.stdio.writeln()" },
	/* copies that gdc -O2 makes; c++filt prints them if what follows the dot is left out */
	{ "_D3std5stdio7writelnFZv.constprop.0", "std.stdio.writeln()" },
	{ "_D3std5stdio7writelnFZv.isra.0.cold", "std.stdio.writeln()" },
	{ "_D3std5stdio7writelnFZv.part.0@plt", "std.stdio.writeln()@plt" },
};

/* The right side is what c++filt -s gnat prints; what it does not know stays. */
static const char *const ada_names[][2] = {
	{ "ada__text_io__put_line__2", "ada.text_io.put_line" },
	{ "_ada_hello", "hello" },
	{ "system__secondary_stack__ss_mark", "system.secondary_stack.ss_mark" },
	{ "ada__strings__unbounded__Oconcat__3", "ada.strings.unbounded.\"&\"" },
	{ "ada__calendar__splitDN", "ada__calendar__splitDN" },
	{ "my_library__open", "my_library__open" },
};

static const char *const plain[] = { "main", "", "_", "_Z", "_ZN", "_start", "a@plt", "@plt",
	                             "__libc_start_main", "_Zzzz", "_Rx", "_Dxyz", "_Dxyz.part.0", "_D.0",
	                             "memcpy@@GLIBC_2.14", "_GLOBAL__sub_I_x.cc" };

static void expect(const char *name, const char *readable)
{
	char *text = symbol_demangle(name, false);

	assert_non_null(text);
	assert_string_equal(text, readable);
	free(text);
}

/* As c++filt prints them. */
static void test_parameters(void **state)
{
#ifdef HAVE_LIBIBERTY
	static const char *const whole[][2] = {
		{ "_ZN12_GLOBAL__N_14anonEi", "(anonymous namespace)::anon(int)" },
		{ "_ZZ4mainENKUliiE_clEii",
		  "main::{lambda(int, int)#1}::operator()(int, int) const" },
		{ "_ZNK2ns3BoxIiLi4EEltERKS1_",
		  "ns::Box<int, 4>::operator<(ns::Box<int, 4> const&) const" },
		{ "_ZTv0_n24_N1BD0Ev", "virtual thunk to B::~B()" },
		{ "_Z1fi@plt", "f(int)@plt" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "main", "main" },
		{ "base_GHCziBase_map_info", "GHC.Base.map" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		char *text = symbol_demangle(whole[i][0], true);

		assert_non_null(text);
		assert_string_equal(text, whole[i][1]);
		free(text);
	}
#endif
	(void)state;
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
#ifdef HAVE_LIBIBERTY
		expect(names[i][0], names[i][1]);
#else
		/* the rules of the languages without "_Z", "_R" and "_D" are our own */
		expect(names[i][0], names[i][0][0] == '_' && names[i][0][1] != '_' ? names[i][0] : names[i][1]);
#endif
	for (size_t i = 0; i < ARRAY_SIZE(ada_names); i++)
#ifdef HAVE_LIBIBERTY
		expect(ada_names[i][0], ada_names[i][1]);
#else
		expect(ada_names[i][0], ada_names[i][0]);
#endif
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		expect(plain[i], plain[i]);
}

/* Names that would unfold to gigabytes, or nest without end, stay as they are. */
static void test_bombs(void **state)
{
	char name[20000] = "_Z1fI";
	static const char *const repeated[] = { "N", "P", "S_", "I", "1aI", "_ZN", "Tp" };
	static const char *const haskell[] = { "Z64H", "Z64T", "z10ffffU", "zz", "_", "z", "zi" };

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(name, "1aI");
	strcat(name, "i");
	for (int i = 0; i < 60; i++)
		strcat(name, "S_E");
	strcat(name, "Evv");
	free(symbol_demangle(name, false));
	/* each type is a pair of the one before: 2^200 characters */
	strcpy(name, "_Z1fM1aS_");
	for (int i = 0; i < 200; i++) {
		static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char pair[16] = "MS__S__";

		pair[2] = digits[i / 36 % 36];
		pair[3] = digits[i % 36];
		strcat(name, pair);
	}
	free(symbol_demangle(name, false));
	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		strcpy(name, "_Z");
		while (strlen(name) < sizeof(name) - 8)
			strcat(name, repeated[i]);
		expect(name, name);
		name[900] = '\0';
		free(symbol_demangle(name, false));
		memcpy(name, "_R", 2);
		free(symbol_demangle(name, false));
		memcpy(name, "_D", 2);
		free(symbol_demangle(name, false));
	}
	for (size_t i = 0; i < ARRAY_SIZE(haskell); i++) {
		strcpy(name, "GHCziBase_");
		while (strlen(name) < sizeof(name) - 16)
			strcat(name, haskell[i]);
		strcat(name, "_info");
		free(symbol_demangle(name, false));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
