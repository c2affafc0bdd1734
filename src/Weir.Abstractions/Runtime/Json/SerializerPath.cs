using System.Globalization;

namespace Weir.Runtime;

/// <summary>Reads the path of the serializer's exceptions: <c>$.items[3].name</c>, <c>$['a.b']</c>.</summary>
internal static class SerializerPath
{
    /// <summary>Enters each step of a path.</summary>
    /// <param name="errors">Its current place is what the path begins at.</param>
    /// <param name="path">May be <c>null</c>: no step.</param>
    internal static void Enter(BindingErrorList errors, string? path)
    {
        var rest = path.AsSpan();
        rest = rest.StartsWith("$") ? rest[1..] : rest;
        while (!rest.IsEmpty)
        {
            var length = Step(rest, out var name, out var index);
            if (index >= 0)
            {
                errors.Enter(index);
            }
            else if (!name.IsEmpty)
            {
                errors.Enter(name.ToString());
            }

            rest = rest[length..];
        }
    }

    /// <summary>Whether the last step is the member of this name, ignoring case.</summary>
    internal static bool EndsWith(string? path, string name) =>
        path is not null && (path.EndsWith("." + name, StringComparison.OrdinalIgnoreCase) || path.EndsWith($"['{name}']", StringComparison.OrdinalIgnoreCase));

    // The length of the first step, and its name or its index.
    private static int Step(ReadOnlySpan<char> rest, out ReadOnlySpan<char> name, out int index)
    {
        name = default;
        index = -1;
        if (rest.StartsWith("['"))
        {
            var end = rest.IndexOf("']");
            name = rest[2..(end < 0 ? rest.Length : end)];
            return end < 0 ? rest.Length : end + 2;
        }

        if (rest[0] == '[')
        {
            var end = rest.IndexOf(']');
            if (end > 0 && int.TryParse(rest[1..end], NumberStyles.None, CultureInfo.InvariantCulture, out index))
            {
                return end + 1;
            }

            index = -1;
        }

        var start = rest[0] == '.' ? 1 : 0;
        var next = rest[start..].IndexOfAny('.', '[');
        next = next <= 0 ? rest.Length : next + start;
        name = rest[start..next];
        return next;
    }
}
