namespace Weir.Samples.Tests.Telemetry;

/// <summary>A span of an <c>ExportTraceServiceRequest</c>.</summary>
internal sealed record OtlpSpan(string Service, string TraceId, string Id, string ParentId, string Name, IReadOnlyDictionary<string, string> Attributes)
{
    public static IEnumerable<OtlpSpan> Read(ReadOnlyMemory<byte> request) =>
        from resource in new OtlpMessage(request).Messages(1)
        from scope in resource.Messages(2)
        from span in scope.Messages(2)
        select new OtlpSpan(resource.ServiceName, span.Hex(1), span.Hex(2), span.Hex(4), span.Text(5), span.Attributes(9));
}
