using System.Text;
using Weir.Jobs.Payloads;
using Weir.Runtime;

namespace Weir.Jobs.Schedules;

/// <summary>Puts the schedules of an application together, from its operations and its options. The options go before the attributes, value by value.</summary>
internal sealed class ScheduleDeclarations
{
    /// <summary>The most schedules of an application.</summary>
    public const int Most = 1_000;

    private const int LongestName = 200;
    private static readonly TimeSpan LongestWindow = TimeSpan.FromDays(365);
    private static readonly OperationSchedule Defaults = new() { Cron = "" };

    private readonly Dictionary<string, Operation> _kinds = new(StringComparer.OrdinalIgnoreCase);
    private readonly IServiceProvider _services;

    private ScheduleDeclarations(IEnumerable<Operation> operations, IServiceProvider services)
    {
        _services = services;
        foreach (var operation in operations)
        {
            _kinds.Add(KindOf(operation), operation);
        }
    }

    /// <summary>The schedules, by name.</summary>
    /// <param name="operations">Those of the kinds of this process, which differ in their names.</param>
    /// <param name="options">What the application set for jobs.</param>
    /// <param name="services">For validation attributes.</param>
    /// <param name="now">After which they occur.</param>
    /// <exception cref="InvalidOperationException">A schedule names no kind, has no cron expression, has arguments that are not valid, or an option out of its range, or there are too many (WEIR3002).</exception>
    public static IReadOnlyList<DeclaredSchedule> Of(IEnumerable<Operation> operations, WeirJobsOptions options, IServiceProvider services, DateTimeOffset now) =>
        new ScheduleDeclarations(operations, services).All(options, now);

    private DeclaredSchedule[] All(WeirJobsOptions options, DateTimeOffset now)
    {
        var names = _kinds.Where(static kind => kind.Value.Job!.Schedule is not null).Select(static kind => kind.Key).Union(options.Schedules.Keys, StringComparer.OrdinalIgnoreCase);
        var enabled = names.Where(name => options.Schedules.GetValueOrDefault(name) is not { Enabled: false }).Order(StringComparer.OrdinalIgnoreCase).ToArray();
        return enabled.Length <= Most
            ? [.. enabled.Select(name => Declare(name, options.Schedules.GetValueOrDefault(name), now))]
            : throw new InvalidOperationException(
                $"Weir:Jobs:Schedules and [Schedule] declare {enabled.Length} schedules; an application may have {Most}. Let one job submit those that belong together. See {WeirCodes.InvalidOptions}.");
    }

    private DeclaredSchedule Declare(string name, JobScheduleOptions? options, DateTimeOffset now)
    {
        if (name.Length > LongestName)
        {
            throw new InvalidOperationException($"Weir:Jobs:Schedules:{name} has a name of {name.Length} characters; write 1 to {LongestName}. See {WeirCodes.InvalidOptions}.");
        }

        var code = _kinds.GetValueOrDefault(name)?.Job!.Schedule;
        var operation = _kinds.GetValueOrDefault(options?.Kind ?? name) ?? throw Unfit(
            name, nameof(options.Kind), options?.Kind, $"write a kind that the application has: {string.Join(", ", _kinds.Keys.Order(StringComparer.Ordinal))}");
        var cron = options?.Cron ?? code?.Cron;
        var zone = options?.TimeZone ?? code?.TimeZone ?? Defaults.TimeZone;
        var misfire = options?.Misfire ?? code?.Misfire ?? Defaults.Misfire;
        var window = options?.MisfireWindow ?? code?.MisfireWindow ?? Defaults.MisfireWindow;
        var overlap = options?.Overlap ?? code?.Overlap ?? Defaults.Overlap;
        Require(!string.IsNullOrWhiteSpace(cron), name, nameof(options.Cron), cron, "write when the schedule occurs, as in 0 3 * * *");
        Require(Enum.IsDefined(misfire), name, nameof(options.Misfire), misfire, $"write {ScheduleMisfire.Once} or {ScheduleMisfire.Skip}");
        Require(window >= TimeSpan.Zero && window <= LongestWindow, name, nameof(options.MisfireWindow), window, $"write zero to {LongestWindow.TotalDays} days, as in 1.00:00:00");
        Require(Enum.IsDefined(overlap), name, nameof(options.Overlap), overlap, $"write {ScheduleOverlap.Skip} or {ScheduleOverlap.Queue}");
        var call = Bind(name, operation, options?.Arguments);
        var key = JobKey.Of(call) ?? "";
        Require(
            key.Length <= JobKey.MostLength, name, nameof(options.Arguments), options?.Arguments, $"its argument '{(operation.Job!.KeyParameter is { } index ? operation.Parameters[index].Name : "")}' is the key of its jobs: write at most {JobKey.MostLength} characters");
        using var writer = new ArgumentWriter();
        var (occurrences, error) = Occurrences(name, cron!, zone, now);
        return new DeclaredSchedule
        {
            Name = code is null ? name : KindOf(_kinds[name]),
            Kind = KindOf(operation),
            Operation = operation,
            Source = options is { HasValue: true } ? JobScheduleSource.Configuration : JobScheduleSource.Code,
            Cron = cron!,
            TimeZone = zone,
            Misfire = misfire,
            MisfireWindow = window,
            Overlap = overlap,
            Arguments = StoredArguments.Write(call, writer),
            Key = key,
            Occurrences = occurrences,
            Error = error,
        };
    }

    // A cron text that cannot be read refuses the start; what depends on the machine or the time makes this one schedule fail.
    private static (CronSchedule? Occurrences, string? Error) Occurrences(string name, string cron, string zone, DateTimeOffset now)
    {
        try
        {
            var schedule = CronSchedule.Parse(name, cron, zone);
            return schedule.Next(now) is null ? (null, $"'{cron}' never occurs again in {zone}; write a cron expression that does.") : (schedule, null);
        }
        catch (ScheduleException failure) when (failure.Fault == ScheduleFault.TimeZone)
        {
            return (null, failure.Message);
        }
        catch (ScheduleException failure)
        {
            throw new InvalidOperationException($"{Path(name, nameof(JobScheduleOptions.Cron))} is wrong: {failure.Message} See {WeirCodes.InvalidOptions}.", failure);
        }
    }

    private Call Bind(string name, Operation operation, string? arguments)
    {
        // A misspelled name is an error, and not a default.
        var errors = new BindingErrorList { RefuseUnknown = true };
        var call = operation.CreateCall(operation);
        call.Bind(new JsonArgumentReader(Encoding.UTF8.GetBytes(arguments ?? "{}"), "configuration", errors));
        if (errors.Count == 0 && operation.HasValidation)
        {
            call.Validate(new ArgumentValidator(errors, _services));
        }

        Require(
            errors.Count == 0, name, nameof(JobScheduleOptions.Arguments), arguments, $"write a JSON object with the arguments of {KindOf(operation)}. {string.Join("; ", errors.ToArray().Select(Describe))}");
        return call;
    }

    private static string Describe(BindingError error)
    {
        var expected = error.Expected.TrimEnd('.');
        var subject = error.Name.Length == 0 ? "The text" : error.Name;
        return error.Reason == BindingErrorReason.Validation ? $"{subject}: {expected}" : $"{subject}: {error.Reason}, expected {expected}";
    }

    private static string KindOf(Operation operation) => operation.Job!.Kind ?? operation.FullName;

    private static void Require(bool isValid, string name, string option, object? value, string step)
    {
        if (!isValid)
        {
            throw Unfit(name, option, value, step);
        }
    }

    private static InvalidOperationException Unfit(string name, string option, object? value, string step) =>
        new($"{Path(name, option)} is {(value is null ? "null" : $"'{value}'")}; {step}. See {WeirCodes.InvalidOptions}.");

    private static string Path(string name, string option) => $"Weir:Jobs:Schedules:{name}:{option}";
}
