using System.Globalization;
using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>
/// Writes the description of one operation. Lists are arrays: a collection expression would need list types of this assembly's own,
/// which a worker would compile before READY.
/// </summary>
internal static class OperationEmitter
{
    public static void Write(SourceWriter code, OperationModel operation)
    {
        code.Block($"internal static readonly global::Weir.Operation {operation.Identifier}Operation = new()", () =>
        {
            code.Line($"Name = {JsonCode.Quote(operation.Name)},");
            code.Line($"Verbs = {operation.Verbs},");
            if (operation.Routes.Count > 0)
            {
                code.Block("Routes = new global::Weir.OperationRoute[]", () =>
                {
                    foreach (var route in operation.Routes)
                    {
                        code.Line($"new({route.Verbs}, {JsonCode.Quote(route.Template)}),");
                    }
                }, "},");
            }

            code.Line($"Placement = global::Weir.Placement.{operation.Placement},");
            if (operation.Pool is { } pool)
            {
                code.Line($"Pool = {JsonCode.Quote(pool)},");
            }

            code.Line($"ResultKind = global::Weir.ResultKind.{operation.Result.Kind},");
            When(code, operation.Result.Value is { IsNullable: true } && !operation.Result.IsStream, "IsResultNullable = true,");
            When(code, operation.Result.MediaType is not null, $"MediaType = {JsonCode.Quote(operation.Result.MediaType ?? "")},");
            When(code, operation.Result.IsByteStream, "StreamsBytes = true,");
            When(code, operation.Result.Flush != "Adaptive", $"Flush = global::Weir.FlushPolicy.{operation.Result.Flush},");
            When(code, operation.Resumption != "None", $"Resumption = global::Weir.Resumption.{operation.Resumption},");
            When(code, operation.Result.IsSynchronous, "IsSynchronous = true,");
            When(code, operation.UsesContext, "UsesContext = true,");
            When(code, operation.UsesCaller, "UsesCaller = true,");
            When(code, operation.HasValidation, "HasValidation = true,");
            When(code, operation.IgnoresCancellation, "IgnoresCancellation = true,");
            When(code, operation.IsIdempotent, "IsIdempotent = true,");
            if (operation.Job is { } job)
            {
                code.Line($"Job = {Job(job)},");
            }

            if (operation.Throws.Count > 0)
            {
                code.Block("Throws = new global::Weir.Runtime.DeclaredException[]", () =>
                {
                    foreach (var exception in operation.Throws)
                    {
                        code.Line($"new({JsonCode.Quote(exception.Name)}, static message => new {exception.Type}(message)){(exception.Status == 0 ? "" : $" {{ Status = {exception.Status} }}")},");
                    }
                }, "},");
            }

            if (operation.Parameters.Count > 0)
            {
                code.Block("Parameters = new global::Weir.Parameter[]", () =>
                {
                    foreach (var parameter in operation.Parameters)
                    {
                        Parameter(code, parameter);
                    }
                }, "},");
            }

            When(code, operation.Parameters.All(static one => !one.IsValue || one.Value is { Kind: ValueKind.Scalar, IsParsed: false }), "HasPlainArguments = true,");
            When(code, operation.Filters.Count > 0, $"Filters = new global::Weir.OperationFilterAttribute[] {{ {string.Join(", ", operation.Filters)} }},");
            if (operation.EndpointMetadata.Count > 0)
            {
                code.Block("EndpointMetadata = static service => new object[]", () => code.Lines(operation.EndpointMetadata), "},");
            }

            if (operation.Declaration is { } method)
            {
                code.Line($"Method = static () => {FilterEmitter.MethodClass(operation)}.{method.Name},");
                When(code, FilterEmitter.Positions(operation) is not null, $"MethodParameters = new int[] {{ {FilterEmitter.Positions(operation)} }},");
            }

            if (operation.Result.DescribesEndpoint)
            {
                code.Line($"DescribeEndpoint = static (endpoint, method) => Describe<{operation.Result.Value!.CoreType}>(endpoint, method),");
            }

            code.Line($"Signature = 0x{operation.Signature.ToString("X16", CultureInfo.InvariantCulture)}UL,");
            code.Line($"CreateCall = static operation => new {operation.Identifier}Call(operation),");
        }, "};");
    }

    private static void Parameter(SourceWriter code, ParameterModel parameter)
    {
        var optional = parameter.IsOptional ? "true" : "false";
        var more = $"Type = static () => typeof({(parameter.IsItems || parameter.Value.IsValueType ? parameter.Type : parameter.Value.CoreType)})";
        if (parameter.IsTextList)
        {
            more += ", IsList = true";
        }

        if (IsText(parameter.Value) || (parameter.Value.Element is { } element && IsText(element)))
        {
            more += ", IsParsed = true";
        }

        if (parameter.WireName != parameter.Name)
        {
            more += $", WireName = {JsonCode.Quote(parameter.WireName)}";
        }

        if (parameter.Default is { } value and not ("null" or "null!"))
        {
            more += value == "default" ? $", DefaultValue = default({parameter.Value.CoreType})" : $", DefaultValue = ({parameter.Value.CoreType})({value})";
        }

        code.Line($"new({JsonCode.Quote(parameter.Name)}, {JsonCode.Quote(parameter.Display)}, global::Weir.ParameterSource.{parameter.Source}, {optional}) {{ {more} }},");
    }

    // What a new OperationJob has already is not written.
    private static string Job(JobModel job)
    {
        string?[] values =
        [
            job.IsNamed ? $"Kind = {JsonCode.Quote(job.Kind)}" : null,
            Number("Attempts", job.Attempts, 0),
            job.Timeout is { } timeout ? Time("Timeout", timeout, TimeSpan.FromHours(1)) : "Timeout = null",
            Time("Backoff", job.Backoff, TimeSpan.FromSeconds(5)),
            Time("MaxBackoff", job.MaxBackoff, TimeSpan.FromHours(1)),
            Number("Concurrency", job.Concurrency, 0),
            Number("MaxPerKey", job.MaxPerKey, 0),
            Number("MaxTotal", job.MaxTotal, 0),
            job.KeyParameter is { } key ? Number("KeyParameter", key, null) : null,
            job.Respond == 0 ? null : $"Respond = (global::Weir.JobRespond){job.Respond.ToString(CultureInfo.InvariantCulture)}",
            job.Schedule is { } schedule ? $"Schedule = {Schedule(schedule)}" : null,
        ];
        var written = values.Where(static one => one is not null).ToList();
        return $"new global::Weir.OperationJob{(written.Count == 0 ? "()" : $" {{ {string.Join(", ", written)} }}")}";

        static string? Number(string name, int value, int? without) => value == without ? null : $"{name} = {value.ToString(CultureInfo.InvariantCulture)}";
    }

    // What a new OperationSchedule has already is not written.
    private static string Schedule(ScheduleModel schedule)
    {
        string?[] values =
        [
            $"Cron = {JsonCode.Quote(schedule.Cron)}",
            schedule.TimeZone == "UTC" ? null : $"TimeZone = {JsonCode.Quote(schedule.TimeZone)}",
            schedule.Misfire == "Once" ? null : $"Misfire = global::Weir.ScheduleMisfire.{schedule.Misfire}",
            Time("MisfireWindow", schedule.MisfireWindow, TimeSpan.FromDays(1)),
            schedule.Overlap == "Skip" ? null : $"Overlap = global::Weir.ScheduleOverlap.{schedule.Overlap}",
        ];
        return $"new global::Weir.OperationSchedule {{ {string.Join(", ", values.Where(static one => one is not null))} }}";
    }

    private static string? Time(string name, TimeSpan value, TimeSpan without) => value == without ? null : $"{name} = new global::System.TimeSpan({value.Ticks.ToString(CultureInfo.InvariantCulture)}L)";

    // Of an address, every description knows that it is text.
    private static bool IsText(ValueModel value) => value is { IsParsed: true, CoreType: not "global::System.Uri" };

    private static void When(SourceWriter code, bool condition, string line)
    {
        if (condition)
        {
            code.Line(line);
        }
    }
}
