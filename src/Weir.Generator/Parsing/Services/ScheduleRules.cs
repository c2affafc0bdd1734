using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>When jobs are made of an operation marked <c>[Schedule]</c>, and which operations cannot have one.</summary>
internal static class ScheduleRules
{
    private const string Attribute = "ScheduleAttribute";
    private const int LongestWindowDays = 365;

    private static readonly string[] Misfires = ["Once", "Skip"];
    private static readonly string[] Overlaps = ["Skip", "Queue"];

    /// <summary>Reports the attribute on an operation that has no jobs.</summary>
    public static void RefuseWithoutJob(Findings findings, DeclaredOperation operation, string fullName)
    {
        if (operation.Method.Inherited(Attribute) is { } attribute)
        {
            findings.Report(WeirCodes.JobShape, attribute.Place(operation.Method), fullName, "it has [Schedule], which makes jobs, and no [Job]; add [Job], or remove [Schedule]");
        }
    }

    /// <summary>What the attribute says; <c>null</c> without one, and, reported, where it does not fit.</summary>
    public static ScheduleModel? Parse(Findings findings, DeclaredOperation operation, string fullName)
    {
        // Without the argument, or with one that is no constant, the compiler reports it.
        if (operation.Method.Inherited(Attribute) is not { ConstructorArguments.Length: 1 } attribute || attribute.ConstructorArguments[0].Kind == TypedConstantKind.Error)
        {
            return null;
        }

        var cron = attribute.Text();
        var hasZone = attribute.NamedArguments.Any(static one => one.Key == "TimeZone");
        var zone = hasZone ? attribute.Named("TimeZone") as string : "UTC";
        var misfire = attribute.Named("Misfire") as int? ?? 0;
        var window = WrittenTime.Read(attribute, "MisfireWindow", TimeSpan.FromDays(1), out var ofWindow);
        var overlap = attribute.Named("Overlap") as int? ?? 0;
        var wrong = OfParameters(operation.Parameters)
            ?? CronRules.Wrong(cron)
            ?? TimeZoneRules.Wrong(zone)
            ?? OfValue("Misfire", misfire, Misfires)
            ?? ofWindow
            ?? (window < TimeSpan.Zero ? "MisfireWindow is negative; write \"00:00:00\" to run no missed occurrence, or a longer one" : null)
            ?? (window > TimeSpan.FromDays(LongestWindowDays) ? "MisfireWindow is longer than 365 days; write a shorter one" : null)
            ?? OfValue("Overlap", overlap, Overlaps);
        if (wrong is not null)
        {
            findings.Report(WeirCodes.JobShape, attribute.Place(operation.Method), fullName, wrong);
            return null;
        }

        return new ScheduleModel(cron!, zone!) { Misfire = Misfires[misfire], MisfireWindow = window, Overlap = Overlaps[overlap] };
    }

    private static string? OfParameters(EquatableArray<ParameterModel> parameters) =>
        parameters.FirstOrDefault(static one => !one.IsOptional) is { } parameter
            ? $"a job of [Schedule] has default arguments, and its parameter '{parameter.Name}' has no default; give it one, or remove [Schedule] and write the schedule with its Arguments in Weir:Jobs:Schedules of the configuration"
            : null;

    private static string? OfValue(string name, int value, string[] names) =>
        value < 0 || value >= names.Length ? $"{name} is {value.ToString(CultureInfo.InvariantCulture)}, which is no Schedule{name}; write {string.Join(" or ", names.Select(one => $"Schedule{name}.{one}"))}" : null;
}
