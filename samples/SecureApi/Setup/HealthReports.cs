using Microsoft.AspNetCore.Diagnostics.HealthChecks;

namespace SecureApi.Setup;

/// <summary>Health as JSON, with the figures of every pool: for operators, as the reason of a failure may name files and servers.</summary>
internal static class HealthReports
{
    public static HealthCheckOptions Detailed { get; } = new()
    {
        ResponseWriter = static (http, report) => http.Response.WriteAsJsonAsync(
            report.Entries.ToDictionary(static check => check.Key, static check => new { Status = check.Value.Status.ToString(), check.Value.Description, check.Value.Data })),
    };
}
