using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Calls that hang when their callers have left: does the report of the worker that is killed for them say where they were, and how much later does the worker die because of the look?</summary>
internal static class HungCalls
{
    public const string Name = "weir";

    private const string Reports = "reports";
    private const string Stacks = "reports with a stack";

    public static string CaseName(Scale scale) => string.Create(CultureInfo.InvariantCulture, $"{Calls(scale)} calls that hang");

    public static Case Case(Scale scale) => new(
        CaseName(scale),
        [FreshContender.Of(Name, ProgramLaunch.OfLab("weir-hung"), (process, cancellation) => process.RunAsync(new ControlLine("hang").With("calls", Calls(scale)), cancellation))])
    {
        Rounds = scale.Pick(1, 1, 3),
        WarmUp = false,
        Patience = TimeSpan.FromMinutes(2),
    };

    // How long it takes is shown and not promised: the pool's 300 ms bound the look, and a report with a stack was had within them. The rest is the kernel's, which ends the process.
    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = CaseName(scale);
        yield return Promise.Count($"{name}: each has one report", measured[Name, name, Reports], Relation.Exactly, Calls(scale));
        yield return Promise.Count($"{name}: each report says where", measured[Name, name, Stacks], Relation.Exactly, Calls(scale));
    }

    private static int Calls(Scale scale) => scale.Pick(1, 2, 20);
}
