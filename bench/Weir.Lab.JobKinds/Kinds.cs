namespace Weir.Lab.Jobs;

/// <summary>150 kinds of jobs that run in the host.</summary>
[Service]
public sealed class HostKinds
{
    [Job] public int K001(int x) => x; [Job] public int K002(int x) => x; [Job] public int K003(int x) => x; [Job] public int K004(int x) => x; [Job] public int K005(int x) => x;

    [Job] public int K006(int x) => x; [Job] public int K007(int x) => x; [Job] public int K008(int x) => x; [Job] public int K009(int x) => x; [Job] public int K010(int x) => x;

    [Job] public int K011(int x) => x; [Job] public int K012(int x) => x; [Job] public int K013(int x) => x; [Job] public int K014(int x) => x; [Job] public int K015(int x) => x;

    [Job] public int K016(int x) => x; [Job] public int K017(int x) => x; [Job] public int K018(int x) => x; [Job] public int K019(int x) => x; [Job] public int K020(int x) => x;

    [Job] public int K021(int x) => x; [Job] public int K022(int x) => x; [Job] public int K023(int x) => x; [Job] public int K024(int x) => x; [Job] public int K025(int x) => x;

    [Job] public int K026(int x) => x; [Job] public int K027(int x) => x; [Job] public int K028(int x) => x; [Job] public int K029(int x) => x; [Job] public int K030(int x) => x;

    [Job] public int K031(int x) => x; [Job] public int K032(int x) => x; [Job] public int K033(int x) => x; [Job] public int K034(int x) => x; [Job] public int K035(int x) => x;

    [Job] public int K036(int x) => x; [Job] public int K037(int x) => x; [Job] public int K038(int x) => x; [Job] public int K039(int x) => x; [Job] public int K040(int x) => x;

    [Job] public int K041(int x) => x; [Job] public int K042(int x) => x; [Job] public int K043(int x) => x; [Job] public int K044(int x) => x; [Job] public int K045(int x) => x;

    [Job] public int K046(int x) => x; [Job] public int K047(int x) => x; [Job] public int K048(int x) => x; [Job] public int K049(int x) => x; [Job] public int K050(int x) => x;

    [Job] public int K051(int x) => x; [Job] public int K052(int x) => x; [Job] public int K053(int x) => x; [Job] public int K054(int x) => x; [Job] public int K055(int x) => x;

    [Job] public int K056(int x) => x; [Job] public int K057(int x) => x; [Job] public int K058(int x) => x; [Job] public int K059(int x) => x; [Job] public int K060(int x) => x;

    [Job] public int K061(int x) => x; [Job] public int K062(int x) => x; [Job] public int K063(int x) => x; [Job] public int K064(int x) => x; [Job] public int K065(int x) => x;

    [Job] public int K066(int x) => x; [Job] public int K067(int x) => x; [Job] public int K068(int x) => x; [Job] public int K069(int x) => x; [Job] public int K070(int x) => x;

    [Job] public int K071(int x) => x; [Job] public int K072(int x) => x; [Job] public int K073(int x) => x; [Job] public int K074(int x) => x; [Job] public int K075(int x) => x;

    [Job] public int K076(int x) => x; [Job] public int K077(int x) => x; [Job] public int K078(int x) => x; [Job] public int K079(int x) => x; [Job] public int K080(int x) => x;

    [Job] public int K081(int x) => x; [Job] public int K082(int x) => x; [Job] public int K083(int x) => x; [Job] public int K084(int x) => x; [Job] public int K085(int x) => x;

    [Job] public int K086(int x) => x; [Job] public int K087(int x) => x; [Job] public int K088(int x) => x; [Job] public int K089(int x) => x; [Job] public int K090(int x) => x;

    [Job] public int K091(int x) => x; [Job] public int K092(int x) => x; [Job] public int K093(int x) => x; [Job] public int K094(int x) => x; [Job] public int K095(int x) => x;

    [Job] public int K096(int x) => x; [Job] public int K097(int x) => x; [Job] public int K098(int x) => x; [Job] public int K099(int x) => x; [Job] public int K100(int x) => x;

    [Job] public int K101(int x) => x; [Job] public int K102(int x) => x; [Job] public int K103(int x) => x; [Job] public int K104(int x) => x; [Job] public int K105(int x) => x;

    [Job] public int K106(int x) => x; [Job] public int K107(int x) => x; [Job] public int K108(int x) => x; [Job] public int K109(int x) => x; [Job] public int K110(int x) => x;

    [Job] public int K111(int x) => x; [Job] public int K112(int x) => x; [Job] public int K113(int x) => x; [Job] public int K114(int x) => x; [Job] public int K115(int x) => x;

    [Job] public int K116(int x) => x; [Job] public int K117(int x) => x; [Job] public int K118(int x) => x; [Job] public int K119(int x) => x; [Job] public int K120(int x) => x;

    [Job] public int K121(int x) => x; [Job] public int K122(int x) => x; [Job] public int K123(int x) => x; [Job] public int K124(int x) => x; [Job] public int K125(int x) => x;

    [Job] public int K126(int x) => x; [Job] public int K127(int x) => x; [Job] public int K128(int x) => x; [Job] public int K129(int x) => x; [Job] public int K130(int x) => x;

    [Job] public int K131(int x) => x; [Job] public int K132(int x) => x; [Job] public int K133(int x) => x; [Job] public int K134(int x) => x; [Job] public int K135(int x) => x;

    [Job] public int K136(int x) => x; [Job] public int K137(int x) => x; [Job] public int K138(int x) => x; [Job] public int K139(int x) => x; [Job] public int K140(int x) => x;

    [Job] public int K141(int x) => x; [Job] public int K142(int x) => x; [Job] public int K143(int x) => x; [Job] public int K144(int x) => x; [Job] public int K145(int x) => x;

    [Job] public int K146(int x) => x; [Job] public int K147(int x) => x; [Job] public int K148(int x) => x; [Job] public int K149(int x) => x; [Job] public int K150(int x) => x;
}

/// <summary>150 kinds of jobs that run in workers.</summary>
[Service, Isolated]
public sealed class WorkerKinds
{
    [Job] public int K001(int x) => x; [Job] public int K002(int x) => x; [Job] public int K003(int x) => x; [Job] public int K004(int x) => x; [Job] public int K005(int x) => x;

    [Job] public int K006(int x) => x; [Job] public int K007(int x) => x; [Job] public int K008(int x) => x; [Job] public int K009(int x) => x; [Job] public int K010(int x) => x;

    [Job] public int K011(int x) => x; [Job] public int K012(int x) => x; [Job] public int K013(int x) => x; [Job] public int K014(int x) => x; [Job] public int K015(int x) => x;

    [Job] public int K016(int x) => x; [Job] public int K017(int x) => x; [Job] public int K018(int x) => x; [Job] public int K019(int x) => x; [Job] public int K020(int x) => x;

    [Job] public int K021(int x) => x; [Job] public int K022(int x) => x; [Job] public int K023(int x) => x; [Job] public int K024(int x) => x; [Job] public int K025(int x) => x;

    [Job] public int K026(int x) => x; [Job] public int K027(int x) => x; [Job] public int K028(int x) => x; [Job] public int K029(int x) => x; [Job] public int K030(int x) => x;

    [Job] public int K031(int x) => x; [Job] public int K032(int x) => x; [Job] public int K033(int x) => x; [Job] public int K034(int x) => x; [Job] public int K035(int x) => x;

    [Job] public int K036(int x) => x; [Job] public int K037(int x) => x; [Job] public int K038(int x) => x; [Job] public int K039(int x) => x; [Job] public int K040(int x) => x;

    [Job] public int K041(int x) => x; [Job] public int K042(int x) => x; [Job] public int K043(int x) => x; [Job] public int K044(int x) => x; [Job] public int K045(int x) => x;

    [Job] public int K046(int x) => x; [Job] public int K047(int x) => x; [Job] public int K048(int x) => x; [Job] public int K049(int x) => x; [Job] public int K050(int x) => x;

    [Job] public int K051(int x) => x; [Job] public int K052(int x) => x; [Job] public int K053(int x) => x; [Job] public int K054(int x) => x; [Job] public int K055(int x) => x;

    [Job] public int K056(int x) => x; [Job] public int K057(int x) => x; [Job] public int K058(int x) => x; [Job] public int K059(int x) => x; [Job] public int K060(int x) => x;

    [Job] public int K061(int x) => x; [Job] public int K062(int x) => x; [Job] public int K063(int x) => x; [Job] public int K064(int x) => x; [Job] public int K065(int x) => x;

    [Job] public int K066(int x) => x; [Job] public int K067(int x) => x; [Job] public int K068(int x) => x; [Job] public int K069(int x) => x; [Job] public int K070(int x) => x;

    [Job] public int K071(int x) => x; [Job] public int K072(int x) => x; [Job] public int K073(int x) => x; [Job] public int K074(int x) => x; [Job] public int K075(int x) => x;

    [Job] public int K076(int x) => x; [Job] public int K077(int x) => x; [Job] public int K078(int x) => x; [Job] public int K079(int x) => x; [Job] public int K080(int x) => x;

    [Job] public int K081(int x) => x; [Job] public int K082(int x) => x; [Job] public int K083(int x) => x; [Job] public int K084(int x) => x; [Job] public int K085(int x) => x;

    [Job] public int K086(int x) => x; [Job] public int K087(int x) => x; [Job] public int K088(int x) => x; [Job] public int K089(int x) => x; [Job] public int K090(int x) => x;

    [Job] public int K091(int x) => x; [Job] public int K092(int x) => x; [Job] public int K093(int x) => x; [Job] public int K094(int x) => x; [Job] public int K095(int x) => x;

    [Job] public int K096(int x) => x; [Job] public int K097(int x) => x; [Job] public int K098(int x) => x; [Job] public int K099(int x) => x; [Job] public int K100(int x) => x;

    [Job] public int K101(int x) => x; [Job] public int K102(int x) => x; [Job] public int K103(int x) => x; [Job] public int K104(int x) => x; [Job] public int K105(int x) => x;

    [Job] public int K106(int x) => x; [Job] public int K107(int x) => x; [Job] public int K108(int x) => x; [Job] public int K109(int x) => x; [Job] public int K110(int x) => x;

    [Job] public int K111(int x) => x; [Job] public int K112(int x) => x; [Job] public int K113(int x) => x; [Job] public int K114(int x) => x; [Job] public int K115(int x) => x;

    [Job] public int K116(int x) => x; [Job] public int K117(int x) => x; [Job] public int K118(int x) => x; [Job] public int K119(int x) => x; [Job] public int K120(int x) => x;

    [Job] public int K121(int x) => x; [Job] public int K122(int x) => x; [Job] public int K123(int x) => x; [Job] public int K124(int x) => x; [Job] public int K125(int x) => x;

    [Job] public int K126(int x) => x; [Job] public int K127(int x) => x; [Job] public int K128(int x) => x; [Job] public int K129(int x) => x; [Job] public int K130(int x) => x;

    [Job] public int K131(int x) => x; [Job] public int K132(int x) => x; [Job] public int K133(int x) => x; [Job] public int K134(int x) => x; [Job] public int K135(int x) => x;

    [Job] public int K136(int x) => x; [Job] public int K137(int x) => x; [Job] public int K138(int x) => x; [Job] public int K139(int x) => x; [Job] public int K140(int x) => x;

    [Job] public int K141(int x) => x; [Job] public int K142(int x) => x; [Job] public int K143(int x) => x; [Job] public int K144(int x) => x; [Job] public int K145(int x) => x;

    [Job] public int K146(int x) => x; [Job] public int K147(int x) => x; [Job] public int K148(int x) => x; [Job] public int K149(int x) => x; [Job] public int K150(int x) => x;
}
