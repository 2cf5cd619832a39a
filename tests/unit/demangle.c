#include "test.h"

#include "sym/demangle/demangle.c"

#include <time.h>

/* What c++filt of binutils 2.47 prints, of names made up for each piece of the grammar. */
static const char *const same[][2] = {
	{ "_ZZ1fIiEiT_E1x", "f<int>(int)::x" },
	{ "_Z1fIJEiEvv", "void f<, int>()" },
	{ "_Z1fIiJEEvv", "void f<int>()" },
	{ "_Z1fIiJEEvDpT0_", "void f<int>()" },
	{ "_Z1fIJEEvDpT_i", "void f<>(, int)" },
	{ "_ZN1AltIiEEvv", "void A::operator< <int>()" },
	{ "_ZN1AIXadL_Z3foovEEEE", "A<&(foo())>" },
	{ "_ZNK1AcvT_IiEEv", "A::operator int<int>() const" },
	{ "_Z1fIiEDTplfp_fp_ET_", "decltype ({parm#1}+{parm#1}) f<int>(int)" },
	{ "_ZZN1A1fEvENKUlT_E_clIiEEDaS0_", "auto A::f()::{lambda(auto:1)#1}::operator()<int>(int) const" },
	{ "_ZZNK1A1fEvENKUlT_T0_E0_clIiiEEDaS0_S1_",
	  "auto A::f() const::{lambda(auto:1, auto:2)#2}::operator()<int, int>(int, int) const" },
	{ "_Z1fPFvPFiiEE", "f(void (*)(int (*)(int)))" },
	{ "_Z1fM1AKFvvE", "f(void (A::*)() const)" },
	{ "_Z1fRA5_KiPA3_PKc", "f(int const (&) [5], char const* (*) [3])" },
	{ "_Z1fPKA5_i", "f(int const (*) [5])" },
	{ "_Z1fM1Ai", "f(int A::*)" },
	{ "_Z1fILDn0EEvv", "void f<(decltype(nullptr))0>()" },
	{ "_Z1fILb1ELi5ELln6ELc97ELf3f800000EEvv", "void f<true, 5, -6l, (char)97, (float)[3f800000]>()" },
	{ "_Z1fIL1E0EEvv", "void f<(E)0>()" },
	{ "_ZN1AC1Ev", "A::A()" },
	{ "_ZN1AD0Ev", "A::~A()" },
	{ "_ZN1A1fB5cxx11Ev", "A::f[abi:cxx11]()" },
	{ "_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()" },
	{ "_ZNSt6vectorIiSaIiEED1Ev", "std::vector<int, std::allocator<int> >::~vector()" },
	{ "_ZNSsD1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::~basic_string()" },
	{ "_Z1fSs", "f(std::basic_string<char, std::char_traits<char>, std::allocator<char> >)" },
	{ "_Z1fSaIcE", "f(std::allocator<char>)" },
	{ "_Z1fv.part.0.cold", "f() [clone .part.0] [clone .cold]" },
	{ "_Z1fv.constprop.1", "f() [clone .constprop.1]" },
	{ "_Z1fv.llvm.123", "f() [clone .llvm.123]" },
	{ "_ZUlvE_", "{lambda()#1}" },
	{ "_ZN1AUt_C1Ev", "A::{unnamed type#1}::A()" },
	{ "_ZThn8_N1A1fEv", "non-virtual thunk to A::f()" },
	{ "_ZTch0_h0_N1A1fEv", "covariant return thunk to A::f()" },
	{ "_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()" },
	{ "_ZGVZ1fvE1x", "guard variable for f()::x" },
	{ "_ZTC1A0_1B", "construction vtable for B-in-A" },
	{ "_ZNDC1a1bEE", "[a, b]" },
	{ "_ZDC1a1bE", "[a, b]" },
	{ "_ZN3foo1fEPFvvEPrKi", "foo::f(void (*)(), int const restrict*)" },
	{ "_ZW3FooW3Bar1fv", "f@Foo.Bar()" },
	{ "_ZNW3Foo1A1fEv", "A@Foo::f()" },
	{ "_ZNH1A1fES_i", "A::f(this A, int)" },
	{ "_ZZ1fvEN1A1xE", "f()::A::x" },
	{ "_Z1fIiEvT_QsrSt8integralIT_E5value", "void f<int>(int) requires std::integral<int>::value" },
	{ "_ZN1AF1fEv", "A::f[friend]()" },
	{ "_ZN1AF1fIiEEvv", "void A::f[friend]<int>()" },
	{ "_Z1fILi0EEiPAplT_Li1E_i", "int f<0>(int (*) [(0)+(1)])" },
	{ "_Z1fDnDaDcDi", "f(decltype(nullptr), auto, decltype(auto), char32_t)" },
	{ "_Z1fzgewn", "f(..., __float128, long double, wchar_t, __int128)" },
	{ "_ZplRK1AS1_", "operator+(A const&, A const&)" },
	{ "_ZN1AnwEm", "A::operator new(unsigned long)" },
	{ "_ZN1AcviEv", "A::operator int()" },
	{ "_ZN1AcvT_IiEEv", "A::operator int<int>()" },
	{ "_Zli3_fooy", "operator\"\" _fo(unsigned __int128, unsigned long long)" },
	{ "_Z1fu6foobar", "f(foobar)" },
	{ "_Z1fU3fooi", "f(int foo)" },
	{ "_Z1fPU3fooIiEi", "f(int foo<int>*)" },
	{ "_Z1fCiGi", "f(int _Complex, int _Imaginary)" },
	{ "_Z1fDv4_i", "f(int __vector(4))" },
	{ "_Z1fDv_Li4E_i", "f(int __vector(4))" },
	{ "_ZSt4cout", "std::cout" },
	{ "_ZNSt3__14moveE", "std::__1::move" },
	{ "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
	  "std::remove_reference<int&>::type&& std::move<int&>(int&)" },
	{ "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()" },
	{ "_ZZ1fvEs", "f()::string literal" },
	{ "_ZZ1fvEs_0", "f()::string literal" },
	{ "_ZZ1fiEd_N1xE", "f(int)::{default arg#1}::x" },
	{ "_ZZ1fvE1x_0", "f()::x" },
	{ "_ZZ1fvE1x__10_", "f()::x" },
	{ "_Z1gIXadL_Z1fIiEvvEEEvv", "void g<&(void f<int>())>()" },
	{ "_Z1gIXadL_ZN1A1fEvEEEvv", "void g<&A::f>()" },
	{ "_Z1gIXadL_ZN1A1fIiEEvvEEEvv", "void g<&(void A::f<int>())>()" },
	{ "_Z1gIXL_ZN1A1fEvEEEvv", "void g<A::f()>()" },
	{ "_Z1gIL_ZN1A1fEvEEvv", "void g<A::f()>()" },
	{ "_Z1fIiEDTcl1gfp_EET_", "decltype (g({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTclL_Z1gvEfp_EET_", "decltype (g({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTclL_ZN1A1gEvEfp_EET_", "decltype (A::g({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTcvT_fp_ES0_", "decltype ((int){parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTcvT__fp_fp_EES0_", "decltype ((int)({parm#1}, {parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTtlT_fp_fp_EES0_", "decltype (int{{parm#1}, {parm#1}}) f<int>(int)" },
	{ "_Z1fIiEDTilfp_fp_EES0_", "decltype ({{parm#1}, {parm#1}}) f<int>(decltype ({{parm#1}, {parm#1}}))" },
	{ "_Z1fIiEDTdtfp_1xET_", "decltype ({parm#1}.x) f<int>(int)" },
	{ "_Z1fIiEDTptfp_1xET_", "decltype ({parm#1}->x) f<int>(int)" },
	{ "_Z1fIiEDTcldtfp_1xIiEfp_EET_", "decltype (({parm#1}.(x<int>))({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTppfp_ET_", "decltype ({parm#1}++) f<int>(int)" },
	{ "_Z1fIiEDTpp_fp_ET_", "decltype (++{parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTquleLi0ELi1ELi2ELi3EET_", "decltype (((0)<=(1))?(2) : (3)) f<int>(int)" },
	{ "_Z1fIiEDTnw_T_EES0_", "decltype (new int) f<int>(int)" },
	{ "_Z1fIiEDTnw_T_piEES0_", "decltype (new int()) f<int>(int)" },
	{ "_Z1fIiEDTnw_T_pifp_EES0_", "decltype (new int({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTnwfp__T_pifp_EES0_", "decltype (new ({parm#1}) int({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTgsnwfp__T_pifp_EES0_", "decltype (::new ({parm#1}) int({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTna_T_pifp_EES0_", "decltype (new int({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTdlfp_ET_", "decltype (delete {parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTgsdlfp_ET_", "decltype (::delete {parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTdafp_ET_", "decltype (delete[] {parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTstT_ES0_", "decltype (sizeof (int)) f<int>(int)" },
	{ "_Z1fIiEDTszfp_ET_", "decltype (sizeof {parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTazfp_ET_", "decltype (alignof {parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTnxfp_ET_", "decltype (noexcept({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTtwfp_ET_", "decltype (throw {parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTtrET_", "decltype (throw) f<int>(int)" },
	{ "_Z1fIiEDTscT_fp_ES0_", "decltype (static_cast<int>({parm#1})) f<int>(int)" },
	{ "_Z1fIiEDTixfp_fp_ET_", "decltype ({parm#1}[{parm#1}]) f<int>(int)" },
	{ "_Z1fIiEDTgtfp_fp_ET_", "decltype (({parm#1}>{parm#1})) f<int>(int)" },
	{ "_Z1fIXgtLi1ELi2EEEvv", "void f<((1)>(2))>()" },
	{ "_Z1fIXadL_ZN1A1xEEEEvv", "void f<&A::x>()" },
	{ "_Z1fIiEDTsrT_1xES0_", "decltype (int::x) f<int>(int)" },
	{ "_Z1fIiEDTsrT_1xIiEES0_", "decltype (int::x<int>) f<int>(int)" },
	{ "_Z1fIiEDTsr1AIT_E1xES1_", "decltype (A<int>::x) f<int>(int)" },
	{ "_Z1fIiEDTgs1xET_", "decltype (::x) f<int>(int)" },
	{ "_Z1fIiEDTsrNT_1AE1xES0_", "decltype (int::A::x) f<int>(int)" },
	{ "_Z1fIiEDTsrN1A1BE1xET_", "decltype (A::B::x) f<int>(int)" },
	{ "_Z1fIiEDTon1xET_", "decltype (x) f<int>(int)" },
	{ "_Z1fIiEDTonplET_", "decltype (operator+) f<int>(int)" },
	{ "_Z1fIiEDTonplIiEET_", "decltype (operator+<int>) f<int>(int)" },
	{ "_Z1fIiEDTcldtfp_onplIiEfp_EET_", "decltype (({parm#1}.(operator+<int>))({parm#1})) f<int>(int)" },
	{ "_Z1fIJicEEDTspfp_EDpT_", "decltype ({parm#1}...) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTcl1gspfp_EEDpT_", "decltype (g({parm#1}...)) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTcl1gspcvT_fp_EEDpT_", "decltype (g((int){parm#1}, (char){parm#1})) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTsZT_EDpT_", "decltype (2) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTsZfp_EDpT_", "decltype (0) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTsPDpT_iEEDpT_", "decltype (3) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTflplfp_EDpT_", "decltype ((...+{parm#1})) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTfrplfp_EDpT_", "decltype (({parm#1}+...)) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTfLplfp_Li0EEDpT_", "decltype (({parm#1}+...+(0))) f<int, char>(int, char)" },
	{ "_Z1fIJicEEDTfRplfp_Li0EEDpT_", "decltype (({parm#1}+...+(0))) f<int, char>(int, char)" },
	{ "_Z1fIXtl1ALi1ELi2EEEEvv", "void f<A{1, 2}>()" },
	{ "_Z1fIXtl1Adi1xLi2EEEEvv", "void f<A{.x=(2)}>()" },
	{ "_Z1fIXtl1AdxLi1ELi2EEEEvv", "void f<A{[1]=(2)}>()" },
	{ "_Z1fIXtl1AdXLi1ELi3ELi2EEEEvv", "void f<A{[1 ... 3]=(2)}>()" },
	{ "_Z1fIXtlA2_iLi1ELi2EEEEvv", "void f<int [2]{1, 2}>()" },
	{ "_Z1fIiEDTv13foofp_ET_", "decltype (operator foo{parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTfpTET_", "decltype (this) f<int>(int)" },
	{ "_Z1fIiEDTfp0_ET_", "decltype ({parm#2}) f<int>(int)" },
	{ "_Z1fI1AEvT_Qaa1CIS1_E1DIS1_E", "void f<A>(A) requires (C<A>)&&(D<A>)" },
	{ "_Z1fIiQ1CIT_EEvS0_", "void f<int>(int) requires C<int>" },
	{ "_ZZ1fvENKUlTyT_E_clIiEEDaS_", "auto f()::{lambda<typename $T0>($T0)#1}::operator()<int>(int) const" },
	{ "_Z1fDF16_DF16bDF32x", "f(_Float16, std::bfloat16_t, _Float32x)" },
	{ "_Z1fDoFvvEPDoFvvE", "f(void () noexcept, void (*)() noexcept)" },
	{ "_Z1fPDwiEFvvE", "f(void (*)() throw(int))" },
	{ "_Z1fPDwicEFvvE", "f(void (*)() throw(int, char))" },
	{ "_Z1fPDxFvvE", "f(void (*)() transaction_safe)" },
	{ "_Z1fPFvvOE", "f(void (*)() &&)" },
	{ "_Z1fM1AFvvRE", "f(void (A::*)() &)" },
	{ "_Z1fPFYvvE", "f(void (*)())" },
	{ "_Z1fIiEPFvcET_", "void (*f<int>(int))(char)" },
	{ "_Z1fIiERA5_iT_", "int (&f<int>(int)) [5]" },
	{ "_Z1fIiEM1AFvcET_", "void (A::*f<int>(int))(char)" },
	{ "_Z1fIiEM1AiT_", "int A::* f<int>(int)" },
	{ "_Z1fPFPFvcEiE", "f(void (*(*)(int))(char))" },
	{ "_Z1fA5_A6_i", "f(int [5][6])" },
	{ "_Z1fA2_PA3_i", "f(int (* [2]) [3])" },
	{ "_Z1fA_i", "f(int [])" },
	{ "_Z1fIFvvEEvPT_RS0_OS1_", "void f<void ()>(void (*)(), void (&)(), void (&&)())" },
	{ "_Z1fIRiEvOT_RS1_", "void f<int&>(int&, int&)" },
	{ "_Z1fIOiEvOT_RS1_", "void f<int&&>(int&&, int&)" },
	{ "_Z1fIKiEvKT_VS0_", "void f<int const>(int const, int const volatile)" },
	{ "_Z1fIA5_iEvRKT_", "void f<int [5]>(int const (&) [5])" },
	{ "_ZTA1A", "template parameter object for A" },
	{ "_ZTAXtl1ALi1EEE", "template parameter object for A{1}" },
	{ "_ZTH1x", "TLS init function for x" },
	{ "_ZTW1x", "TLS wrapper function for x" },
	{ "_ZGTt1fv", "transaction clone for f()" },
	{ "_ZGA1fv", "hidden alias for f()" },
	{ "_ZTV1A", "vtable for A" },
	{ "_ZTTN1A1BE", "VTT for A::B" },
	{ "_ZTI1A", "typeinfo for A" },
	{ "_ZTSPKc", "typeinfo name for char const*" },
	{ "_ZGIW3Foo", "initializer for module Foo" },
	{ "_ZGIW3FooWP3Bar", "initializer for module Foo:Bar" },
	{ "_ZW3FooWP3Bar1fv", "f@Foo:Bar()" },
	{ "_ZTJ1A", "java Class for A" },
	{ "_ZN1ACI11BEi", "A::B(int)" },
	{ "_ZN1ACI2N1C1BEEi", "A::B(int)" },
	{ "_ZN1AC5Ev", "A::A()" },
	{ "_ZN1AD4Ev", "A::~A()" },
	{ "_ZN1AC1B3fooEv", "A::A[abi:foo]()" },
	{ "_ZL1fv", "f()" },
	{ "_ZN1AL1fEv", "A::f()" },
	{ "_ZNKR1A1fEv", "A::f() const &" },
	{ "_ZNO1A1fEv", "A::f() &&" },
	{ "_ZNVK1A1fEv", "A::f() const volatile" },
	{ "_ZNrVK1A1fEv", "A::f() const volatile restrict" },
	{ "_ZNK1A1xE", "A::x const" },
	{ "_ZSt1fv", "std::f()" },
	{ "_ZNSt1fEv", "std::f()" },
	{ "_ZNSt1fIiEEvv", "void std::f<int>()" },
	{ "_Z1fSt1A", "f(std::A)" },
	{ "_Z1fNSt1AE", "f(std::A)" },
	{ "_ZNSaIcE1fEv", "std::allocator<char>::f()" },
	{ "_ZNSt3__112basic_stringIcEC1Ev", "std::__1::basic_string<char>::basic_string()" },
	{ "_Z1fISaEvv", "void f<std::allocator>()" },
	{ "_Z1fIN1AEEvv", "void f<A>()" },
	{ "_Z1fI1AIiEEvT_IcE", "void f<A<int> >(A<int><char>)" },
	{ "_Z1fI1AEvT_IcE", "void f<A>(A<char>)" },
	{ "_Z1fU8__strongi", "f(int __strong)" },
	{ "_Z1fPU3AS1i", "f(int AS1*)" },
	{ "_Z1fU3fooIiEi", "f(int foo<int>)" },
	{ "_Z1fDv3_f", "f(float __vector(3))" },
	{ "_Z1fIiEvDtfp_E", "void f<int>(decltype ({parm#1}))" },
	{ "_ZN1AdlEPv", "A::operator delete(void*)" },
	{ "_ZN1AdaEPv", "A::operator delete[](void*)" },
	{ "_ZN1AnaEm", "A::operator new[](unsigned long)" },
	{ "_ZN1AawEv", "A::operator co_await()" },
	{ "_ZN1AclEv", "A::operator()()" },
	{ "_ZN1AixEi", "A::operator[](int)" },
	{ "_ZN1AptEv", "A::operator->()" },
	{ "_ZN1AssEi", "A::operator<=>(int)" },
	{ "_ZN1Av13fooEv", "A::operator foo()" },
	{ "_ZN1AcvPFvvEEv", "A::operator void (*)()()" },
	{ "_ZN1AcvPT_IFvvEEEv", "A::operator void (*)()<void ()>()" },
	{ "_ZN1AlsIiEEvv", "void A::operator<< <int>()" },
	{ "_ZN1AszEv", "A::operator sizeof()" },
	{ "_Z1fILin5EEvv", "void f<-5>()" },
	{ "_Z1fIL_Z1xEEvv", "void f<x>()" },
	{ "_Z1fIXsr1A1xEEvv", "void f<A::x>()" },
	{ "_Z1fILd4000000000000000EEvv", "void f<(double)[4000000000000000]>()" },
	{ "_Z1fILCf3f800000_3f800000EEvv", "void f<(float _Complex)3f800000_3f800000>()" },
	{ "_Z1fILg0EEvv", "void f<(__float128)[0]>()" },
	{ "_Z1fILb2ELa5ELh5ELs5ELt5ELw5EEvv",
	  "void f<(bool)2, (signed char)5, (unsigned char)5, (short)5, (unsigned short)5, (wchar_t)5>()" },
	{ "_Z1fIXcviLj5EEEvv", "void f<(int)(5u)>()" },
	{ "_ZN1A1BIiE1CIcEC1Ev", "A::B<int>::C<char>::C()" },
	{ "_ZZ1fiENKUlvE_clEv", "f(int)::{lambda()#1}::operator()() const" },
	{ "_ZZ1fiENUlvE_4_FUNEv", "f(int)::{lambda()#1}::_FUN()" },
	{ "_ZN1AUlvE_D1Ev", "A::{lambda()#1}::~A()" },
	{ "_ZNK1AMUlvE_clEv", "A::{lambda()#1}::operator()() const" },
	{ "_ZN1xMUlvE_D1Ev", "x::{lambda()#1}::~x()" },
	{ "_ZNK1x1yMUlvE0_clEv", "x::y::{lambda()#2}::operator()() const" },
	{ "_ZNKUlvE_clEv", "{lambda()#1}::operator()() const" },
	{ "_ZZN1A1fEiiEd0_NKUlvE_clEv", "A::f(int, int)::{default arg#2}::{lambda()#1}::operator()() const" },
	{ "_ZZN1A1fEiiEd_UlvE_", "A::f(int, int)::{default arg#1}::{lambda()#1}" },
	{ "_Z1xB3foo", "x[abi:foo]" },
	{ "_ZTV1AB3foo", "vtable for A[abi:foo]" },
	{ "_ZTIN12_GLOBAL__N_11AE", "typeinfo for (anonymous namespace)::A" },
	{ "_ZN8_GLOBAL_3fooEv", "_GLOBAL_::foo()" },
	{ "_ZN12_GLOBAL_.N_11fEv", "(anonymous namespace)::f()" },
	{ "_GLOBAL__I_foo", "global constructors keyed to foo" },
	{ "_GLOBAL__D__Z1fv", "global destructors keyed to f()" },
	{ "_GLOBAL__I__ZN1A1fEv", "global constructors keyed to A::f()" },
};

/* Mangled names found in libraries, and made by GCC 16 and clang 21. */
static const char *const found[][2] = {
	{ "_ZNSt15basic_stringbufIwSt11char_traitsIwESaIwEE17_M_stringbuf_initESt13_Ios_Openmode",
	  "std::basic_stringbuf<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >::_M_stringbuf_init(std::_Ios_Openmode)" },
	{ "_ZNSbIwSt11char_traitsIwESaIwEE6appendERKS2_mm",
	  "std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >::append(std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> > const&, unsigned long, unsigned long)" },
	{ "_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE13_M_local_dataEv",
	  "std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >::_M_local_data()" },
	{ "_ZNKSt10moneypunctIwLb1EE16do_positive_signEv", "std::moneypunct<wchar_t, true>::do_positive_sign() const" },
	{ "_ZNKSt7__cxx1110moneypunctIcLb1EE13thousands_sepEv",
	  "std::__cxx11::moneypunct<char, true>::thousands_sep() const" },
	{ "_ZTVNSt10filesystem16filesystem_errorE", "vtable for std::filesystem::filesystem_error" },
	{ "_ZN4llvm13FPPassManager13runOnFunctionERNS_8FunctionE", "llvm::FPPassManager::runOnFunction(llvm::Function&)" },
	{ "_ZN4llvm3orc11ObjectLayer3addERNS0_8JITDylibESt10unique_ptrINS_12MemoryBufferESt14default_deleteIS5_EE",
	  "llvm::orc::ObjectLayer::add(llvm::orc::JITDylib&, std::unique_ptr<llvm::MemoryBuffer, std::default_delete<llvm::MemoryBuffer> >)" },
	{ "_ZNK4llvm13AttributeList3endEv", "llvm::AttributeList::end() const" },
	{ "_ZN4llvm12DIExpression7getImplERNS_11LLVMContextENS_8ArrayRefImEENS_8Metadata11StorageTypeEb",
	  "llvm::DIExpression::getImpl(llvm::LLVMContext&, llvm::ArrayRef<unsigned long>, llvm::Metadata::StorageType, bool)" },
	{ "_ZTVN4llvm18format_object_baseE", "vtable for llvm::format_object_base" },
	{ "_ZN4llvm8codeview23MergingTypeTableBuilder8containsENS0_9TypeIndexE",
	  "llvm::codeview::MergingTypeTableBuilder::contains(llvm::codeview::TypeIndex)" },
	{ "_ZN2v88internal23RegExpMacroAssemblerX6414ImplementationEv",
	  "v8::internal::RegExpMacroAssemblerX64::Implementation()" },
	{ "_ZN2v815SealHandleScopeC1EPNS_7IsolateE", "v8::SealHandleScope::SealHandleScope(v8::Isolate*)" },
	{ "_ZN2v88internal11FactoryBaseINS0_7FactoryEE12throw_stringEv",
	  "v8::internal::FactoryBase<v8::internal::Factory>::throw_string()" },
	{ "_ZN2v88internal8compiler26MachineOperatorGlobalCache19LoadFloat64OperatorD2Ev",
	  "v8::internal::compiler::MachineOperatorGlobalCache::LoadFloat64Operator::~LoadFloat64Operator()" },
	{ "_ZN2v88internal8compiler26MachineOperatorGlobalCache15F32x4LtOperatorC1Ev",
	  "v8::internal::compiler::MachineOperatorGlobalCache::F32x4LtOperator::F32x4LtOperator()" },
	{ "_ZN2v88internal11CallPrinter20VisitTemplateLiteralEPNS0_15TemplateLiteralE",
	  "v8::internal::CallPrinter::VisitTemplateLiteral(v8::internal::TemplateLiteral*)" },
	{ "_ZN2v88internal31Builtin_DisplayNamesPrototypeOfEiPmPNS0_7IsolateE",
	  "v8::internal::Builtin_DisplayNamesPrototypeOf(int, unsigned long*, v8::internal::Isolate*)" },
	{ "_ZN2v88internal11FactoryBaseINS0_7FactoryEE18conjunction_stringEv",
	  "v8::internal::FactoryBase<v8::internal::Factory>::conjunction_string()" },
	{ "_ZNK5clang4Decl5printERN4llvm11raw_ostreamEjb",
	  "clang::Decl::print(llvm::raw_ostream&, unsigned int, bool) const" },
	{ "_ZN6icu_7813UnicodeStringC2ERKS0_i", "icu_78::UnicodeString::UnicodeString(icu_78::UnicodeString const&, int)" },
	{ "_ZN4llvm12scc_iteratorIPKNS_9CallGraphENS_11GraphTraitsIS3_EEE16DFSVisitChildrenEv",
	  "llvm::scc_iterator<llvm::CallGraph const*, llvm::GraphTraits<llvm::CallGraph const*> >::DFSVisitChildren()" },
	{ "_ZNK5polly21ReportNonAffineAccess13getRemarkNameB5cxx11Ev",
	  "polly::ReportNonAffineAccess::getRemarkName[abi:cxx11]() const" },
	{ "_ZN4llvm23SmallVectorTemplateBaseIN5clang12ast_matchers8internal7MatcherINS1_27CXXDependentScopeMemberExprEEELb0EE4growEm",
	  "llvm::SmallVectorTemplateBase<clang::ast_matchers::internal::Matcher<clang::CXXDependentScopeMemberExpr>, false>::grow(unsigned long)" },
	{ "_ZN5clang12ast_matchers9whileStmtE", "clang::ast_matchers::whileStmt" },
	{ "_ZSt13__stable_sortIN9__gnu_cxx17__normal_iteratorIPN4llvm4gsym12FunctionInfoESt6vectorIS4_SaIS4_EEEESt4lessIvEEvT_SC_T0_",
	  "void std::__stable_sort<__gnu_cxx::__normal_iterator<llvm::gsym::FunctionInfo*, std::vector<llvm::gsym::FunctionInfo, std::allocator<llvm::gsym::FunctionInfo> > >, std::less<void> >(__gnu_cxx::__normal_iterator<llvm::gsym::FunctionInfo*, std::vector<llvm::gsym::FunctionInfo, std::allocator<llvm::gsym::FunctionInfo> > >, __gnu_cxx::__normal_iterator<llvm::gsym::FunctionInfo*, std::vector<llvm::gsym::FunctionInfo, std::allocator<llvm::gsym::FunctionInfo> > >, std::less<void>)" },
	{ "_ZNSt8_Rb_treeISt4pairIPKvjES0_IKS3_N5clang7APValueEESt10_Select1stIS7_ESt4lessIS3_ESaIS7_EE8_M_eraseEPSt13_Rb_tree_nodeIS7_E",
	  "std::_Rb_tree<std::pair<void const*, unsigned int>, std::pair<std::pair<void const*, unsigned int> const, clang::APValue>, std::_Select1st<std::pair<std::pair<void const*, unsigned int> const, clang::APValue> >, std::less<std::pair<void const*, unsigned int> >, std::allocator<std::pair<std::pair<void const*, unsigned int> const, clang::APValue> > >::_M_erase(std::_Rb_tree_node<std::pair<std::pair<void const*, unsigned int> const, clang::APValue> >*)" },
	{ "_ZNSt8__format13_Padding_sinkINS_10_Sink_iterIcEEcE18_M_sync_discardingEv",
	  "std::__format::_Padding_sink<std::__format::_Sink_iter<char>, char>::_M_sync_discarding()" },
	{ "_ZZ3useiENHUlT_iE_clIS0_EEiS_i",
	  "int use(int)::{lambda(auto:1, int)#1}::operator()<{lambda(auto:1, int)#1}>(this {lambda(auto:1, int)#1}, int)" },
	{ "_ZNKSt5arrayINSt8__format6_Arg_tELm2EE5beginEv", "std::array<std::__format::_Arg_t, 2ul>::begin() const" },
	{ "_ZNSt8__format10__put_signIxEEPcT_NS_5_SignES1_",
	  "char* std::__format::__put_sign<long long>(long long, std::__format::_Sign, char*)" },
	{ "_ZNSt8__format13_Padding_sinkINS_10_Sink_iterIcEEcE9_M_finishENS_6_AlignEDi",
	  "std::__format::_Padding_sink<std::__format::_Sink_iter<char>, char>::_M_finish(std::__format::_Align, char32_t)" },
	{ "_ZNSt5tupleIJONSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEC2IJS5_EEEDpOT_",
	  "std::tuple<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&>::tuple<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&)" },
	{ "_ZNKSt4lessIvEclIRKDiS3_EEDTltcl7forwardIT_Efp_Ecl7forwardIT0_Efp0_EEOS4_OS5_",
	  "decltype (((forward<char32_t const&>)({parm#1}))<((forward<char32_t const&>)({parm#2}))) std::less<void>::operator()<char32_t const&, char32_t const&>(char32_t const&, char32_t const&) const" },
	{ "_ZZNSt8__format19_Formatting_scannerINS_10_Sink_iterIcEEcE13_M_format_argEmENKUlRT_E_clIfEEDaS5_",
	  "auto std::__format::_Formatting_scanner<std::__format::_Sink_iter<char>, char>::_M_format_arg(unsigned long)::{lambda(auto:1&)#1}::operator()<float>(float&) const" },
	{ "_ZNSt15__new_allocatorIiE8allocateEmPKv", "std::__new_allocator<int>::allocate(unsigned long, void const*)" },
	{ "_ZNKSt4spanIKcLm18446744073709551615EE4dataEv", "std::span<char const, 18446744073709551615ul>::data() const" },
	{ "_ZSt13__upper_boundIPKDiDiSt4lessIvEET_S4_S4_RKT0_T1_",
	  "char32_t const* std::__upper_bound<char32_t const*, char32_t, std::less<void> >(char32_t const*, char32_t const*, char32_t const&, std::less<void>)" },
	{ "_ZNKSt8__format8_ScannerIcE3endEv", "std::__format::_Scanner<char>::end() const" },
	{ "_ZNSt6ranges14transform_viewINS_11filter_viewINS_11owning_viewISt6vectorIiSaIiEEEEZ3useiE3$_3EEZ3useiE3$_4ED2Ev",
	  "std::ranges::transform_view<std::ranges::filter_view<std::ranges::owning_view<std::vector<int, std::allocator<int> > >, use(int)::$_3>, use(int)::$_4>::~transform_view()" },
	{ "_ZNSt8__format15__formatter_intIcE8_M_parseIcEEPKcRSt26basic_format_parse_contextIcE",
	  "char const* std::__format::__formatter_int<char>::_M_parse<char>(std::basic_format_parse_context<char>&)" },
	{ "_ZNKSt9__unicode9_Utf_viewIDiNSt6ranges8subrangeIPKcS4_LNS1_13subrange_kindE1EEEE5emptyEv",
	  "std::__unicode::_Utf_view<char32_t, std::ranges::subrange<char const*, char const*, (std::ranges::subrange_kind)1> >::empty() const" },
	{ "_ZSt10destroy_atISt10unique_ptrI1ASt14default_deleteIS1_EEEvPT_",
	  "void std::destroy_at<std::unique_ptr<A, std::default_delete<A> > >(std::unique_ptr<A, std::default_delete<A> >*)" },
	{ "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
	  "std::remove_reference<int&>::type&& std::move<int&>(int&)" },
};

/* Names that this c++filt cannot read: constraints as GCC 16 and clang 21 write them, and more. */
static const char *const newer[][2] = {
	{ "_Z2f2ITk1DdEvT_", "void f2<double>(double)" },
	{ "_Z2f4ITk1DiTk1EIcEiEvT_T0_", "void f4<int, int>(int, int)" },
	{ "_Z2f5IiQrQT__Xplfp_fp_Xmlfp_Li2ERSt14convertible_toIiEEEvS0_",
	  "void f5<int>(int) requires requires (int) { {parm#1}+{parm#1}; {{parm#1}*(2)} -> std::convertible_to<int>; }" },
	{ "_Z2f6ITnDk1DLi3EEvv", "void f6<3>()" },
	{ "_Z2f8ITtTk1DE2W2Evv", "void f8<W2>()" },
	{ "_Z2f9ITpTk1DJidEEvDpT_", "void f9<int, double>(int, double)" },
	{ "_Z2frIiEv2Q1IcET_Q1DITL0__E", "void fr<int>(Q1<char>, int)" },
	{ "_Z2g2ITnDaLDnEEvv", "void g2<decltype(nullptr)>()" },
	{ "_Z2g2ITnDaLc97EEvv", "void g2<(char)97>()" },
	{ "_Z2g2ITnDaLd3ff8000000000000EEvv", "void g2<(double)[3ff8000000000000]>()" },
	{ "_Z2g2ITnDaXadL_ZN1A1mEEEEvv", "void g2<&A::m>()" },
	{ "_Z2g2ITnDaXadL_ZN1A1xEvEEEvv", "void g2<&A::x>()" },
	{ "_Z2g2ITnDaXtl1PEEEvv", "void g2<P{}>()" },
	{ "_Z2g2ITnDaXtlZ3useiEUliE_EEEvv", "void g2<use(int)::{lambda(int)#1}{}>()" },
	{ "_Z2g8I1FEvT_DTcldtfL0p_3fooIiELi1EEE", "void g8<F>(F, decltype (({parm#1}.(foo<int>))(1)))" },
	{ "_ZDCL3sb1L3sb2E", "[sb1, sb2]" },
	{ "_ZNKSt6ranges8subrangeIPKcS2_LNS_13subrange_kindE1EE5beginEvQ8copyableIT_E",
	  "std::ranges::subrange<char const*, char const*, (std::ranges::subrange_kind)1>::begin() const requires copyable<char const*>" },
	{ "_ZNKSt9__unicode13_Utf_iteratorIcDiPKcS2_NS_5_ReplEE4baseEvQ16forward_iteratorIT1_E",
	  "std::__unicode::_Utf_iterator<char, char32_t, char const*, char const*, std::__unicode::_Repl>::base() const requires forward_iterator<char const*>" },
	{ "_ZNKSt9__unicode13_Utf_iteratorIcDiPKcS2_NS_5_ReplEE8_M_unitsEvQ16forward_iteratorIT1_E",
	  "std::__unicode::_Utf_iterator<char, char32_t, char const*, char const*, std::__unicode::_Repl>::_M_units() const requires forward_iterator<char const*>" },
	{ "_ZNSt4pairItPKcEC1ERKtRKS1_Qcl16_S_constructibleIRKT_RKT0_EE",
	  "std::pair<unsigned short, char const*>::pair(unsigned short const&, char const* const&) requires (_S_constructible<unsigned short const&, char const* const&>)()" },
	{ "_ZNSt5tupleIJONSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEC1EOS7_Qfraa23is_move_constructible_vIT_E",
	  "std::tuple<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&>::tuple(std::tuple<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&>&&) requires ((is_move_constructible_v<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&>)&&...)" },
	{ "_ZNSt5tupleIJiiEEC1EvQfraa26is_default_constructible_vIT_E",
	  "std::tuple<int, int>::tuple() requires ((is_default_constructible_v<int, int>)&&...)" },
	{ "_ZNSt6ranges8subrangeIPKcS2_LNS_13subrange_kindE1EEC1IS2_EET_S2_QntL_ZNS0_IS6_T0_XT1_EE13_S_store_sizeEE",
	  "std::ranges::subrange<char const*, char const*, (std::ranges::subrange_kind)1>::subrange<char const*>(char const*, char const*) requires !std::ranges::subrange<char const*, char const*, (std::ranges::subrange_kind)1>::_S_store_size" },
	{ "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EvQ26is_default_constructible_vIT1_E",
	  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string() requires is_default_constructible_v<std::allocator<char> >" },
	{ "_ZNUt_C1Ev", "{unnamed type#1}::()" },
	{ "_ZGR1x_", "reference temporary #0 for x" },
	{ "_ZGR1x0_", "reference temporary #0 for x" },
	{ "_Z1fIiTkNS_1CEjEvv", "void f<int, unsigned int>()" },
	{ "_Z1fITk1CiEvv", "void f<int>()" },
	{ "_Z1fIiEDTtiT_ES0_", "decltype (typeid (int)) f<int>(int)" },
	{ "_Z1fIiEDTteT_ES0_", "decltype (typeid (int)) f<int>(decltype (typeid (int)))" },
	{ "_Z1fIiEDTcldtfp_dn1AEET_", "decltype (({parm#1}.(~A))()) f<int>(int)" },
	{ "_Z1fIiEDTcldtfp_dnT_EES0_", "decltype (({parm#1}.(~int))()) f<int>(int)" },
	{ "_Z1fILA5_KcEEvv", "void f<\"<char const [5]>\">()" },
	{ "_Z1fIXLA5_KcEEEvv", "void f<\"<char const [5]>\">()" },
	{ "_Z1fIXLUlvE_EEEvv", "void f<{lambda()#1}>()" },
	{ "_Z1fIiEDTfL0p_ET_", "decltype ({parm#1}) f<int>(int)" },
	{ "_Z1fIiEDTfpK_ET_", "decltype ({parm#1}) f<int>(int)" },
	{ "_Z1fIiEvT_QrqXfp_NR1CIS0_EQ1DIS0_EE",
	  "void f<int>(int) requires requires { {{parm#1}} noexcept -> C<int>; requires D<int>; }" },
	{ "_Z1fITkS_1CiEvv", "void f<C, int>()" },
	{ "_Z1fITyiEvv", "void f<int>()" },
	{ "_Z1fITnjLi5EEvv", "void f<5>()" },
	{ "_Z1fITtTyE1AEvv", "void f<A>()" },
	{ "_Z1fITpTyJiiEEvv", "void f<int, int>()" },
	{ "_ZZ1fvENKUlTyTnT_TtTyETpTyTk1CS_E_clIiEEDaS_",
	  "auto f()::{lambda<typename $T0, $T0 $N1, template<typename> class $TT2, typename... $T3, C $T4>($T0)#1}::operator()<int>(int) const" },
	{ "_ZZ1fvENKUlTyT_QsrS_1xE_clIiEEDaS_", "auto f()::{lambda<typename $T0>($T0)#1}::operator()<int>(int) const" },
	{ "_Z1fDk1C", "f(C auto)" },
	{ "_Z1fDK1C", "f(C decltype(auto))" },
	{ "_Z1fDK1CIiE", "f(C<int> decltype(auto))" },
	{ "_ZGRN1A1xE_", "reference temporary #0 for A::x" },
	{ "_ZGRN1A1xE0_", "reference temporary #0 for A::x" },
	{ "_Z1fu3fooIiE", "f(foo<int>)" },
};

/* Rust names as profiles show them: as c++filt -i prints them, if it understands them. */
static const char *const rust[][2] = {
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.123", "core::fmt::Formatter::pad" },
	{ "_ZN3foo6a$C,$b17h0123456789abcdefE", "foo::a$C,$b" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main", "mycrate::main" },
	{ "_RNCNvCs4fqI2P2rA04_7mycrate4main0B3_", "mycrate::main::{closure#0}" },
	{ "_RNvMs_Cs4fqI2P2rA04_7mycrateINtB4_3FoopE3bar", "<mycrate::Foo<_>>::bar" },
	{ "_RNvXs_Cs4fqI2P2rA04_7mycrateNtB4_3FooNtB4_3Bar3baz", "<mycrate::Foo as mycrate::Bar>::baz" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKj5_KpKb1_Kc61_Kin5_E", "mycrate::foo::<5, _, true, 'a', -5>" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3foohRhQhPhOhAhj4_ShTEThEThhEE",
	  "mycrate::foo::<u8, &u8, &mut u8, *const u8, *mut u8, [u8; 4], [u8], (), (u8,), (u8, u8)>" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKRe616263_E", "mycrate::foo::<\"abc\">" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKVNtC1a1bUE", "mycrate::foo::<{a::b}>" },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main.llvm.123", "mycrate::main" },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main.cold", "mycrate::main" },
	{ "_RNvC7mycrate4main", "mycrate::main" },
	{ "_RNSC7mycrate4main", "mycrate::{shim:main#0}" },
	{ "_RINvC7mycrate3fooDNtC1a5TraitIBi_hEp4ItemhEL_E", "mycrate::foo::<dyn a::Trait + a<u8, Item = u8>>" },
	{ "_RNvMNtNtCsdadwybgsbvk_12rustc_middle2ty14typeck_resultsNtB2_13TypeckResults11field_index",
	  "<rustc_middle::ty::typeck_results::TypeckResults>::field_index" },
	{ "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRNtCsh05LIuhHLB1_13rustc_resolve19ModuleOrUniformRootNtB6_5Debug3fmtBy_",
	  "<&rustc_resolve::ModuleOrUniformRoot as core::fmt::Debug>::fmt" },
	{ "_RNvMs_NtNtCsaLBsNTKQP2p_11rustc_parse6parser4pathNtB6_6Parser11parse_qpath",
	  "<rustc_parse::parser::Parser>::parse_qpath" },
	{ "_RNvXs1R_NtCs2hCOSJlNTWo_12tracing_core5fielddNtB6_5Value6record",
	  "<f64 as tracing_core::field::Value>::record" },
	{ "_RNvXss_NtCslvJuEJDjP95_11rustc_index7bit_setINtB5_12FiniteBitSetmENtNtCsgEmfK2I1SDS_4core3fmt5Debug3fmt",
	  "<rustc_index::bit_set::FiniteBitSet<u32> as core::fmt::Debug>::fmt" },
	{ "_RNvMs1_NtCsdeN5Nx9jg0b_10wasmparser13binary_readerNtB5_12BinaryReader8read_f32",
	  "<wasmparser::binary_reader::BinaryReader>::read_f32" },
	{ "_RNvMNtNtCs1ZVfQdTwIpf_5regex8builders5bytesNtB2_12RegexBuilder10size_limit",
	  "<regex::builders::bytes::RegexBuilder>::size_limit" },
	{ "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRNtNtNtCshg5UprtI8ZK_4jiff5civil7weekday7WeekdayNtB6_5Debug3fmtBC_",
	  "<&jiff::civil::weekday::Weekday as core::fmt::Debug>::fmt" },
	{ "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRNtNtB8_4time8DurationNtB6_5Debug3fmtCs3MG2ofusW15_21rustc_data_structures",
	  "<&core::time::Duration as core::fmt::Debug>::fmt" },
	{ "_RNvXs8_NtCsfTISLGThhZ2_6rustix4ugidNtB5_3GidNtNtCsgEmfK2I1SDS_4core3fmt6Binary3fmt",
	  "<rustix::ugid::Gid as core::fmt::Binary>::fmt" },
	{ "_RNvCs4fqI2P2rA04_7mycrateu9gdel_5qaa", "mycrate::göödel" },
	{ "_RINvC7mycrate3fooFG_RL0_hEuE", "mycrate::foo::<for<'a> fn(&'a u8)>" },
	{ "_RINvC7mycrate3fooDG_INtC1a2FnTRL0_hEEp6OutputuEL_E",
	  "mycrate::foo::<dyn for<'a> a::Fn<(&'a u8,), Output = ()>>" },
	{ "_RINvC7mycrate3fooFUKCEuE", "mycrate::foo::<unsafe extern \"C\" fn()>" },
	{ "_RINvC7mycrate3fooKin7fffffffffffffffff_E", "mycrate::foo::<-0x7fffffffffffffffff>" },
	{ "_RINvC7mycrate3fooKc1f600_E", "mycrate::foo::<'😀'>" },
	{ "_RINvC7mycrate3fooKc27_Kca_E", "mycrate::foo::<'\\'', '\\n'>" },
	{ "_RIC7mycrateTShEE", "mycrate::<([u8],)>" },
	{ "_RNvYNtC1a1bNtC1c1d3foo", "<a::b as c::d>::foo" },
	{ "_RNvNtC1a1b1cC3dep", "a::b::c" },
	{ "_RNvC1a1bB1_", "a::b" },
	{ "_RINvC7mycrate3fooKRAj1_j2_EE", "mycrate::foo::<{&[1, 2]}>" },
	{ "_RINvC7mycrate3fooKVNtC1a1bS1xj1_1yTj2_EEE", "mycrate::foo::<{a::b { x: 1, y: (2,) }}>" },
	{ "_RINvC7mycrate3fooWmRm1_mff_E", "mycrate::foo::<u32 is 1..=255>" },
};

/* Rust with hashes and types of constants: c++filt. */
static const char *const hashed[][2] = {
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad::h0123456789abcdef" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.123", "core::fmt::Formatter::pad::h0123456789abcdef" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar::h930b740aa94f1d3a" },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main", "mycrate[317d481089b8c8fe]::main" },
	{ "_RNCNvCs4fqI2P2rA04_7mycrate4main0B3_", "mycrate[317d481089b8c8fe]::main::{closure#0}" },
	{ "_RNvMs_Cs4fqI2P2rA04_7mycrateINtB4_3FoopE3bar", "<mycrate[317d481089b8c8fe]::Foo<_>>::bar" },
	{ "_RNvXs_Cs4fqI2P2rA04_7mycrateNtB4_3FooNtB4_3Bar3baz",
	  "<mycrate[317d481089b8c8fe]::Foo as mycrate[317d481089b8c8fe]::Bar>::baz" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKj5_KpKb1_Kc61_Kin5_E",
	  "mycrate[317d481089b8c8fe]::foo::<5: usize, _, true: bool, 'a': char, -5: isize>" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3foohRhQhPhOhAhj4_ShTEThEThhEE",
	  "mycrate[317d481089b8c8fe]::foo::<u8, &u8, &mut u8, *const u8, *mut u8, [u8; 4: usize], [u8], (), (u8,), (u8, u8)>" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKRe616263_E", "mycrate[317d481089b8c8fe]::foo::<\"abc\">" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKVNtC1a1bUE", "mycrate[317d481089b8c8fe]::foo::<{a[0]::b}>" },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main.llvm.123", "mycrate[317d481089b8c8fe]::main" },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main.cold", "mycrate[317d481089b8c8fe]::main" },
	{ "_RNvC7mycrate4main", "mycrate[0]::main" },
};

/* No names, or not well formed. */
static const char *const wrong[] = {
	"",
	"_",
	"_Z",
	"_R",
	"_ZN",
	"__Z1fv",
	"foo",
	"_Z1",
	"main",
	"_Z3f",
	"_ZN1AE1",
	"_Z1fT_",
	"_Z1fS_",
	"_Z1fS0_",
	"_Z99999999999999999999f",
	"_Z1fIT0_",
	"_ZGR",
	"_ZTv",
	"_GLOBAL_",
	"_GLOBAL__",
	"_GLOBAL__X_a",
	"_R1NvC1a1b",
	"_RNvC1a",
	"_RNvC1a9b",
	"_RNvB_1a",
	"_RNvNvB_1a",
	"_ZN1a17h0123456789abcdefE_",
	"_ZN17h0123456789abcdefE1",
	"_ZN1AIXadL_ZN1B3fooEvEEE",
	"_ZN1AIXadL_ZNK1B3fooEvEEE",
	"_ZN1AIXgtLi1ELi2EEE",
	"_Z1fv.__uniq.12_a",
	"_Z1fv.A",
	"_GLOBAL__sub_I__Z1fv",
	"_GLOBAL__sub_I_foo.cc",
	"_Z1fDF16_DBjDU8_DF16b",
	"_ZN1AH1fEi",
	"_Z1fIiEDTtifp_ET_",
	"_Z1fIiEDTu3foofp_EET_",
	"_Z1fIiEvT_QrqXfp_EE",
	"_Z1fIiEvT_QrQS0__XplfL0p_fL0p_EE",
	"_Z1fIiEvT_QrqTS0_XfpNR1CE",
	"_Z1fDkPv",
	"_Z1fDB8_DU8_DBT_",
	"_Z1fDSDADAh",
	"_Z1fPDOLb1EFvvE",
	"_Z1fPFRA5_cE",
	"_Z1fAT__i",
	"_ZGRL_Z1x_",
	"_ZN1AC9Ev",
	"_Z1fDTT_",
	"_Z1fDv_4_f",
	"_ZN1A1BE.foo",
	"_GLOBAL__F_1",
};

static void
check_table(const char *const table[][2], size_t n, unsigned flags)
{
	for (size_t i = 0; i < n; i++) {
		struct arena arena = { 0 };

		CHECK_STR(demangle(&arena, table[i][0], flags), table[i][1]);
		arena_free(&arena);
	}
}

#define CHECK_TABLE(table, flags) check_table(table, sizeof table / sizeof *table, flags)

static void says_what_cxxfilt_says(void) { CHECK_TABLE(same, DEMANGLE_VERBOSE); }
static void names_met(void) { CHECK_TABLE(found, DEMANGLE_VERBOSE); }
static void newer_than_cxxfilt(void) { CHECK_TABLE(newer, DEMANGLE_VERBOSE); }
static void rust_names(void) { CHECK_TABLE(rust, 0); }
/* perf script's names of the linker's stubs. */
static const char *const stubs[][2] = {
	{ "_ZdlPv@plt", "operator delete(void*)@plt" },
	{ "_ZN1AC1Ev@plt", "A::A()@plt" },
	{ "_RNvC1a1f@plt", "a::f@plt" },
	{ "_ZdlPv@", "_ZdlPv@" },
	{ "_Zx@plt", "_Zx@plt" },
	{ "_@plt", "_@plt" },
	{ "free@plt", "free@plt" },
};
static const char *const brief[][2] = {
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<>::push_back(int const&)" },
	{ "_Z3fooIiEvT_", "foo<>(int)" },
	{ "_ZlsIcEvT_", "operator<< <>(char)" },
	{ "_ZN1AcvT_IiEEv", "A::operator int<>()" },
	{ "_ZNSt8functionIFviEEC1IRKZN3FooIiE3barEvEUliE_vvEEOT_",
	  "std::function<>::function<>(Foo<>::bar()::{lambda(int)#1} const&)" },
	{ "_Z1fIFvvEEvPT_RS0_OS1_", "f<>(void (*)(), void (&)(), void (&&)())" },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc.part.0",
	  "std::operator<< <>(std::basic_ostream<>&, char const*) [clone .part.0]" },
	{ "_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
	  "<alloc::vec::Vec<> as core::ops::drop::Drop>::drop" },
	{ "_ZN4core3fmt52_$LT$impl$u20$core..fmt..Debug$u20$for$u20$$RF$T$GT$3fmt17h0123456789abcdefE",
	  "core::fmt::<impl core::fmt::Debug for &T>::fmt" },
	{ "_RNvMs_Cs4fqI2P2rA04_7mycrateINtB4_3FoopE3bar", "<mycrate::Foo<>>::bar" },
	{ "_RINvCs4fqI2P2rA04_7mycrate3fooKj5_KpKb1_Kc61_Kin5_E", "mycrate::foo::<>" },
	{ "_RINvC7mycrate3fooDNtC1a5TraitIBi_hEp4ItemhEL_E", "mycrate::foo::<>" },
	{ "_RNvYDNtC1a5Traitp4ItemhEL_NtC1b1T3foo", "<dyn a::Trait<> as b::T>::foo" },
	{ "_RNvYDINtC1a5TraithEp4ItemhEL_NtC1b1T3foo", "<dyn a::Trait<> as b::T>::foo" },
};

/* Compilers add a suffix to the names of copies. C functions keep it as it is. */
static const char *const clones[][2] = {
	{ "_Z1fv.part.0", "f() [clone .part.0]" },
	{ "_Z1fv.constprop.1", "f() [clone .constprop.1]" },
	{ "_Z1fv.isra.0", "f() [clone .isra.0]" },
	{ "_Z1fv.cold", "f() [clone .cold]" },
	{ "_Z1fv.isra.0.constprop.1.cold", "f() [clone .isra.0] [clone .constprop.1] [clone .cold]" },
	{ "_Z1fv.llvm.12345678901234567890", "f() [clone .llvm.12345678901234567890]" },
	{ "_Z1fv.lto_priv.0", "f() [clone .lto_priv.0]" },
	{ "memcpy.part.0", "memcpy.part.0" },
	{ "f.llvm.123", "f.llvm.123" },
	{ "_f.constprop.0.isra.0", "_f.constprop.0.isra.0" },
	{ "_ZN3foo3bar17h0123456789abcdefE.llvm.123", "foo::bar" },
	{ "_RNvC3foo3bar.llvm.123", "foo::bar" },
};

static void short_names(void) { CHECK_TABLE(brief, DEMANGLE_SHORT); }
static void names_of_stubs(void) { CHECK_TABLE(stubs, 0); }
static void names_of_copies(void) { CHECK_TABLE(clones, 0); }
static void rust_hashes(void) { CHECK_TABLE(hashed, DEMANGLE_VERBOSE); }

static void
short_standard_names(void)
{
	struct arena arena = { 0 };

	CHECK_STR(demangle(&arena, "_Z1fSsSi", 0), "f(std::string, std::istream)");
	CHECK_STR(demangle(&arena, "_ZNSsC1Ev", 0),
	          "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()");
	arena_free(&arena);
}

static void
others_unchanged(void)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CHECK(demangle(&arena, wrong[i], 0) == wrong[i]);
	CHECK(!arena.chunk);
}

/* What c++filt --format=dlang of binutils 2.40 prints, of names that ldc and gdc made, and of some by hand. */
static const char *const dlang[][2] = {
	{ "_D1d3fibFiZi", "d.fib(int)" },
	{ "_D1d4mainFZ9__lambda4FZv", "d.main().__lambda4()" },
	{ "_Dmain", "D main" },
	{ "_D1d1fFPFNaNbiZvDxFNaiZvZv", "d.f(void(int) pure nothrow function, void(int) pure delegate const)" },
	{ "_D1d1fFxHAaG3iZv", "d.f(const(int[3][char[]]))" },
	{ "_D1d__T1fVbi1Vai97VmN5VPvnZQuFiYv", "d.f!(true, 'a', -5uL, null).f(int, ...)" },
	{ "_D1d1AMxFNaZ1fMOFZv", "d.A() const.f() shared" },
	{ "_D1d4__S11gUxaXv", "d.g(const(char)...)" },
	{ "_D2rt5tlsgc4scanFNbPvMDFNbQhQjZvZv", "rt.tlsgc.scan(void*, scope void(void*, void*) nothrow delegate)" },
	{ "_D3std10functional11__moduleRefZ", "std.functional.__moduleRef" },
	{ "_D2rt6dmain212_d_run_main2UAAamPUQgZiZ6runAllMFZv",
	  "rt.dmain2._d_run_main2(char[][], ulong, extern(C) int(char[][]) function).runAll()" },
	{ "_D4core6memory2GC6addrOfFNaNbNiNePNgvZQf", "core.memory.GC.addrOf(inout(void)*)" },
	{ "_D6object12setSameMutexFOC6ObjectOQjZv", "object.setSameMutex(shared(Object), shared(Object))" },
	{ "_D3std3xml4exitFAyaZv", "std.xml.exit(immutable(char)[])" },
	{ "_D3std4zlib5crc32FkAxvZk", "std.zlib.crc32(uint, const(void)[])" },
	{ "_D3std5stdio4File6__dtorMFNfZv", "std.stdio.File.~this()" },
	{ "_D3std4zlib8Compress6__dtorMFZv", "std.zlib.Compress.~this()" },
	{ "_D3std4math9algebraic__T4polyTdTdVii3ZQoFNaNbNiNfdKxG3dZd",
	  "std.math.algebraic.poly!(double, double, 3).poly(double, ref const(double[3]))" },
	{ "_D6object__T7destroyVbi1TC6ObjectZQwFNbQoZv", "object.destroy!(true, Object).destroy(Object)" },
	{ "_D2rt7dwarfeh7uLEB128FPPxhZm", "rt.dwarfeh.uLEB128(const(ubyte)**)" },
	{ "_D3std8typecons__T5TupleTaTaZQl6toHashMxFNaNbNiNfZm", "std.typecons.Tuple!(char, char).Tuple.toHash() const" },
	{ "_D3std4path12absolutePathFNaNfAyaLQeZQh", "std.path.absolutePath(immutable(char)[], lazy immutable(char)[])" },
	{ "_D3std3xml4reqcFNaNfKAyaaZv", "std.xml.reqc(ref immutable(char)[], char)" },
	{ "_D3std3xml9checkETagFNaNfKAyaJQeZv", "std.xml.checkETag(ref immutable(char)[], out immutable(char)[])" },
	{ "_D4core5bitop2btFNaNbNiMxPmmZi", "core.bitop.bt(scope const(ulong*), ulong)" },
	{ "_D3std6digest6DigestQoMFNbNeMAxAvXAh", "std.digest.Digest.digest(scope const(void[])[]...)" },
	{ "_D4core7runtime16DefaultTraceInfo7fixlineMxFAxaNkKG4096aZQn",
	  "core.runtime.DefaultTraceInfo.fixline(const(char)[], return ref char[4096]) const" },
	{ "_D3std5range8nullSinkFNaNbNcNiNfZSQBgQBf8NullSink", "std.range.nullSink()" },
	{ "_D6object7_xopCmpFIPvIQdZb", "object._xopCmp(in void*, in void*)" },
	{ "_D2rt5trace9skipspaceFPaZQd", "rt.trace.skipspace(char*)" },
	{ "_D4core3sys5posixQk5ioctl__T4_IOCTnZQiFNaNbNiiiiZi",
	  "core.sys.posix.sys.ioctl._IOC!(typeof(null))._IOC(int, int, int)" },
	{ "_D6object10_xopEqualsFIPvIQdZb", "object._xopEquals(in void*, in void*)" },
	{ "_D2rt5tlsgc14processGCMarksFNbPvMDFNbQhZiZv", "rt.tlsgc.processGCMarks(void*, scope int(void*) nothrow delegate)" },
};

static const char *const dotted[][2] = {
	{ "camlStdlib__Map__update_344", "Stdlib.Map.update_344" },
	{ "camlStdlib__$40_197", "Stdlib.@_197" },
	{ "camlDune__exe__Main__k$27_12", "Dune.exe.Main.k'_12" },
	{ "camlStdlib.Map.update_344", "Stdlib.Map.update_344" },
	{ "camlStdlib.entry", "Stdlib.entry" },
	{ "__m_MOD_step", "m::step" },
	{ "__my_mod2_MOD_step._omp_fn.0", "my_mod2::step [clone ._omp_fn.0]" },
	{ "__m_MOD_step.constprop.0.isra.0", "m::step [clone .constprop.0] [clone .isra.0]" },
	{ "__m_MOD_step@plt", "m::step@plt" },
	{ "_D1d3fibFiZi.constprop.0", "d.fib(int) [clone .constprop.0]" },
};

static const char *const neither[] = {
	"camlBridge.part.0", "camlBridge.cold", "camlLib.so", "camlShop.ml", "caml", "caml_alloc_small", "camlImages", "caml_c_call", "camlA__$0a", "camlA", "c", "cam", "__MOD_step", "__m_MOD_", "__m_MOD_Step",
	"__m_MOD_step.", "__M_MOD_step", "m_MOD_step", "_D", "_D1", "_D1dF", "_D3d", "_D1dQ", "_D1dQbi", "_D1d1fFQzZv", "_Draw", "_Do_init",
	"_D1d__T1fVde8P1ZQnFZv", "_D1d3fibFiZi.", "_D99999999999999999999x", "_D1d1fFB9999999999iZv",
};

static void
other_languages(void)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof dlang / sizeof *dlang; i++)
		CHECK_STR(demangle(&arena, dlang[i][0], 0), dlang[i][1]);
	for (size_t i = 0; i < sizeof dotted / sizeof *dotted; i++)
		CHECK_STR(demangle(&arena, dotted[i][0], 0), dotted[i][1]);
	for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
		CHECK_STR(demangle(&arena, neither[i], 0), neither[i]);
	CHECK_STR(demangle(&arena, "_D1d__T1gTAaZQgFiZv", DEMANGLE_SHORT), "d.g!().g(int)");
	arena_free(&arena);
	for (size_t i = 0; i < sizeof dlang / sizeof *dlang; i++)
		for (size_t n = strlen(dlang[i][0]); n--;) {
			char part[512];

			memcpy(part, dlang[i][0], n);
			part[n] = 0;
			CHECK(demangle(&arena, part, 0) != NULL);
			arena_free(&arena);
		}
}

/* Each beginning of each name: nothing is read past its end, and memory is given back. */
static void
cut_short(void)
{
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		for (size_t n = strlen(same[i][0]); n--;) {
			struct arena arena = { 0 };
			char part[512];

			memcpy(part, same[i][0], n);
			part[n] = 0;
			CHECK(demangle(&arena, part, DEMANGLE_VERBOSE) != NULL);
			arena_free(&arena);
		}
	CHECK_U64(mem_used(), 0);
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* HEAD, then UNIT so often, then TAIL; unchanged, and soon. */
static void
check_bounded(const char *head, const char *unit, unsigned times, const char *tail)
{
	static char name[200000];
	struct arena arena = { 0 };
	double start = seconds();
	size_t n = strlen(head);

	memcpy(name, head, n);
	for (unsigned i = 0; i < times; i++, n += strlen(unit))
		memcpy(name + n, unit, strlen(unit));
	strcpy(name + n, tail);
	CHECK(demangle(&arena, name, 0) == name);
	CHECK(seconds() - start < 2);
	arena_free(&arena);
}

static void
ends_soon(void)
{
	static const char seq[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char bomb[1024] = "_Z1fN1aIiiiiEE", *p = bomb + strlen(bomb);

	/* Each argument holds the one before it four times over. */
	for (const char *of = seq; *of; of += 2)
		p += sprintf(p, "N1aIS%.1s_S%.1s_S%.1s_S%.1s_EE", of, of, of, of);
	check_bounded(bomb, "", 0, "");
	check_bounded("_Z1f", "P", 100000, "i");
	check_bounded("_Z1f", "1aI", 30000, "");
	check_bounded("_Z1fIX", "cl", 30000, "");
	check_bounded("_Z1fIX", "sr1aI", 10000, "");
	check_bounded("_ZN1a", "cvT_I", 10000, "");
	check_bounded("_Z", "Z", 50000, "");
	check_bounded("_Z1f", "Dp", 20000, "T_");
	check_bounded("_RNvC1a1b", "", 0, "I");
	check_bounded("_RINvC1a1b", "T", 50000, "E");
	check_bounded("_R", "NvB_", 10000, "");
	check_bounded("_RINvC1a1bTuuuuE", "TB9_B9_B9_B9_EB9_", 3000, "");
	check_bounded("_RINvC1a1bFG", "z", 5, "_hE");
	check_bounded("_D1fFHiHii", "HQgQi", 60, "Zv");
	check_bounded("_D1fFHiHii", "HQgQi", 10000, "Zv");
	check_bounded("_D1fF", "DF", 30000, "Zv");
	check_bounded("_D1fF", "P", 60000, "iZv");
	check_bounded("_D", "1aF", 30000, "");
	check_bounded("_D", "1__T", 30000, "");
}

/* A long name that is allowed, and one character more. */
static void
largest(void)
{
	static char name[70000];
	struct arena arena = { 0 };
	const char *got;

	for (unsigned n = TEXT_MAX - 2; n <= TEXT_MAX + 1; n++) {
		int head = sprintf(name, "_GLOBAL__I_");

		memset(name + head, 'x', n);
		name[(unsigned)head + n] = 0;
		CHECK(demangle(&arena, name, 0) == name);
	}
	sprintf(name, "_Z%u%0*uv", 30000, 30000, 0u);
	name[7] = 'x';
	got = demangle(&arena, name, 0);
	CHECK_U64(strlen(got), 30002);
	memcpy(name + strlen(name) - 1, "P1AS0_S0_", 10);
	CHECK(demangle(&arena, name, 0) != name);
	arena_free(&arena);
}

static void
no_memory(void)
{
	struct arena arena = { 0 };
	const char *name = "_ZN1A1fEv";

	mem_cap(0);
	CHECK(demangle(&arena, name, 0) == name);
	mem_cap((size_t)-1);
	CHECK_STR(demangle(&arena, name, 0), "A::f()");
	arena_free(&arena);
	CHECK_U64(mem_used(), 0);
}

int
main(void)
{
	RUN("demangle", says_what_cxxfilt_says);
	RUN("demangle", names_met);
	RUN("demangle", newer_than_cxxfilt);
	RUN("demangle", short_names);
	RUN("demangle", names_of_stubs);
	RUN("demangle", names_of_copies);
	RUN("demangle", rust_names);
	RUN("demangle", rust_hashes);
	RUN("demangle", short_standard_names);
	RUN("demangle", others_unchanged);
	RUN("demangle", other_languages);
	RUN("demangle", cut_short);
	RUN("demangle", ends_soon);
	RUN("demangle", largest);
	RUN("demangle", no_memory);
	return TEST_STATUS;
}
