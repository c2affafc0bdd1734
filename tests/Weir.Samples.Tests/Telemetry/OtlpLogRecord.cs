namespace Weir.Samples.Tests.Telemetry;

/// <summary>A record of an <c>ExportLogsServiceRequest</c>; its body is the message template.</summary>
internal sealed record OtlpLogRecord(string Service, string TraceId, string Template, IReadOnlyDictionary<string, string> Attributes)
{
    public static IEnumerable<OtlpLogRecord> Read(ReadOnlyMemory<byte> request) =>
        from resource in new OtlpMessage(request).Messages(1)
        from scope in resource.Messages(2)
        from record in scope.Messages(2)
        select new OtlpLogRecord(resource.ServiceName, record.Hex(9), record.Messages(5).Single().Text(1), record.Attributes(6));
}
