using System.Text.Json;

namespace Weir.Dashboard.Actions;

/// <summary>What an operator asks for, and of what state: it is done only while that is the state.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="ProcessId">The worker; <c>null</c> where it is about the pool.</param>
/// <param name="Serial">Which of the pool's processes it is; <c>null</c> where that was not seen.</param>
internal sealed record ActionRequest(string Pool, int? ProcessId, long? Serial)
{
    /// <summary>What a log line says of it.</summary>
    public string Target => ProcessId is { } process ? $"worker {process} of pool {Pool}" : $"pool {Pool}";

    /// <summary>Reads one: <c>{"pool":"hashing","pid":5101,"serial":7}</c>.</summary>
    /// <returns><c>null</c> where it is none.</returns>
    public static ActionRequest? Read(ReadOnlyMemory<byte> body)
    {
        try
        {
            using var json = JsonDocument.Parse(body);
            var root = json.RootElement;
            return root.ValueKind == JsonValueKind.Object && root.TryGetProperty("pool", out var pool) && pool.ValueKind == JsonValueKind.String
                ? new ActionRequest(pool.GetString()!, Number(root, "pid") is { } process ? checked((int)process) : null, Number(root, "serial"))
                : null;
        }
        catch (Exception error) when (error is JsonException or FormatException or InvalidOperationException or OverflowException)
        {
            return null;
        }
    }

    private static long? Number(JsonElement root, string name) => root.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null ? value.GetInt64() : null;
}
