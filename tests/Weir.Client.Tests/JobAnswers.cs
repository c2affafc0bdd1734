namespace Weir.Client.Tests;

/// <summary>What a server with jobs answers.</summary>
internal static class JobAnswers
{
    internal const string Ndjson = "application/x-ndjson; weir=1";

    internal static readonly Guid Id = Guid.Parse("01930000-0000-7000-8000-000000000001");

    internal static readonly string Address = $"/shop/$jobs/{Id}";

    /// <summary>A job as JSON.</summary>
    internal static string Job(string state, string reason = "null", string problem = "null", int items = 0) =>
        $$$"""
        {"id":"{{{Id}}}","kind":"Reports/Build","state":"{{{state}}}","reason":{{{reason}}},"stopping":"cancel","attempt":2,"attempts":5,"submitted":"2026-11-01T08:00:00+00:00","due":"2026-11-01T08:00:01+00:00","started":"2026-11-01T08:00:02+00:00","ended":null,"expires":"2026-12-01T08:00:00+00:00","progress":{"fraction":0.4,"text":"page 4 of 10"},"items":{{{items}}},"key":"acme","priority":"high","parent":"01930000-0000-7000-8000-000000000002","problem":{{{problem}}},"links":{"self":"{{{Address}}}","result":"{{{Address}}}/result","items":null,"cancel":"{{{Address}}}/cancel"},"later":{"unknown":[1]} }
        """;

    internal static string Problem(int status, string code, string detail, string more = "") => $$"""{"type":"urn:weir:problem:{{code}}","title":"t","status":{{status}},"detail":"{{detail}}","code":"{{code}}"{{more}}}""";

    /// <summary>The answer to a submission.</summary>
    internal static byte[] Accepted(string headers = "", string? location = null) =>
        HostileServer.Response("202 Accepted", "application/json", Job("ready"), $"Location: {location ?? Address}\r\nPreference-Applied: respond-async\r\n{headers}");

    /// <summary>The answer to a question about the job.</summary>
    internal static byte[] Found(string state, string reason = "null", string problem = "null", int items = 0) => HostileServer.Response("200 OK", "application/json", Job(state, reason, problem, items));

    internal static byte[] Refused(int status, string code, string detail = "", string headers = "", string more = "") =>
        HostileServer.Response($"{status} No", "application/problem+json", Problem(status, code, detail, more), headers);

    internal static byte[] Result(string type, string body) => HostileServer.Response("200 OK", type, body);

    /// <summary>Items of the job; cut where the length is more than there is.</summary>
    internal static byte[] Items(string body, string? name = null, bool isCut = false) =>
        HostileServer.Response("200 OK", Ndjson, body, $"Weir-Stream: {name ?? Id.ToString()}\r\n", isCut ? body.Length + 100 : null);
}
