namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>Reads a query string without allocating more than the values.</summary>
internal static class RawQuery
{
    /// <summary>The value of a key, still encoded; empty when there is none.</summary>
    public static ReadOnlySpan<char> Value(string query, string key)
    {
        var rest = query.AsSpan().TrimStart('?');
        while (!rest.IsEmpty)
        {
            var end = rest.IndexOf('&');
            var pair = end < 0 ? rest : rest[..end];
            rest = end < 0 ? default : rest[(end + 1)..];
            if (pair.Length > key.Length && pair[key.Length] == '=' && pair.StartsWith(key, StringComparison.Ordinal))
                return pair[(key.Length + 1)..];
        }

        return default;
    }

    /// <summary>The value of a key, decoded; nothing is allocated when nothing was encoded.</summary>
    public static ReadOnlySpan<char> Text(string query, string key)
    {
        var value = Value(query, key);
        return value.ContainsAny('%', '+') ? Uri.UnescapeDataString(value.ToString().Replace('+', ' ')) : value;
    }

    public static int Int(string query, string key) =>
        int.TryParse(Value(query, key), System.Globalization.CultureInfo.InvariantCulture, out var value) ? value : 0;

    public static bool Bool(string query, string key) => Value(query, key).Equals("true", StringComparison.OrdinalIgnoreCase);
}
