using System.Text;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// A route template, as far as the build must understand it: its parameters, and what makes two templates equal. Routing parses it again when
/// the application starts, with all its rules and the application's constraints.
/// </summary>
internal sealed class RouteTemplate
{
    private static readonly char[] NotInLiterals = ['?', '*'];
    private static readonly char[] NotInNames = ['/', '{', '}', '*'];
    private static readonly char[] AfterName = [':', '=', '?'];

    private readonly List<RouteParameter> _parameters = [];
    private readonly StringBuilder _shape = new();

    private RouteTemplate()
    {
    }

    /// <summary>Its parameters, in order.</summary>
    public IReadOnlyList<RouteParameter> Parameters => _parameters;

    /// <summary>The same text for templates that match the same paths: without the parameters' names and without upper case.</summary>
    public string Shape => _shape.ToString();

    /// <summary>Parses a template without slashes around it; <c>null</c>, with the reason, where it cannot be one.</summary>
    public static RouteTemplate? Parse(string text, out string reason)
    {
        var template = new RouteTemplate();
        reason = text.Length == 0 ? "" : template.Read(text);
        return reason.Length == 0 ? template : null;
    }

    // What is wrong; empty for nothing.
    private string Read(string text)
    {
        if (text[0] == '~')
        {
            return "'~' has no meaning here; begin a route that does not start with the service's route with '/'";
        }

        var segment = 0;
        var hasParameterBefore = false;
        for (var i = 0; i < text.Length;)
        {
            var character = text[i];
            var isDoubled = i + 1 < text.Length && text[i + 1] == character;
            if (character == '/')
            {
                if (isDoubled)
                {
                    return "it has an empty segment; remove one of the slashes";
                }

                _shape.Append('/');
                (segment, hasParameterBefore) = (++i, false);
            }
            else if (character is '{' or '}' && isDoubled)
            {
                _shape.Append(character, 2);
                (i, hasParameterBefore) = (i + 2, false);
            }
            else if (character == '{')
            {
                var end = End(text, i + 1);
                if (end < 0)
                {
                    return "a '{' is not closed; close it, or write '{{' for the character";
                }

                var wrong = hasParameterBefore ? "two parameters stand side by side; put text or a slash between them" : Add(text.Substring(i + 1, end - i - 1), i == segment, end == text.Length - 1);
                if (wrong.Length > 0)
                {
                    return wrong;
                }

                (i, hasParameterBefore) = (end + 1, true);
            }
            else if (character == '}' || NotInLiterals.Contains(character))
            {
                return $"'{character}' is not valid outside a parameter{(character == '}' ? "; write '}}' for the character" : "")}";
            }
            else
            {
                _shape.Append(char.ToLowerInvariant(character));
                (i, hasParameterBefore) = (i + 1, false);
            }
        }

        return "";
    }

    // A constraint may hold doubled braces.
    private static int End(string text, int from)
    {
        for (var i = from; i < text.Length; i++)
        {
            if (text[i] is '{' or '}')
            {
                if (i + 1 < text.Length && text[i + 1] == text[i])
                {
                    i++;
                }
                else
                {
                    return text[i] == '}' ? i : -1;
                }
            }
        }

        return -1;
    }

    private string Add(string content, bool isFirstInSegment, bool isLast)
    {
        var name = content.TrimStart('*');
        var isCatchAll = name.Length < content.Length;
        var end = name.IndexOfAny(AfterName);
        var rest = end < 0 ? "" : name.Substring(end);
        name = end < 0 ? name : name.Substring(0, end);
        if (name.Length == 0 || name.IndexOfAny(NotInNames) >= 0)
        {
            return $"'{{{content}}}' has no valid name";
        }

        if (isCatchAll && !(isFirstInSegment && isLast))
        {
            return $"'{{{content}}}' takes the rest of the path, so it must be the whole last segment";
        }

        var isOptional = rest.EndsWith("?", StringComparison.Ordinal);
        if (isOptional && !isLast)
        {
            return $"'{{{content}}}' is optional, so nothing may follow it";
        }

        if (_parameters.Any(one => string.Equals(one.Name, name, StringComparison.OrdinalIgnoreCase)))
        {
            return $"the parameter '{name}' is in it twice";
        }

        _parameters.Add(new RouteParameter(name, isOptional));
        _shape.Append('{').Append(isCatchAll ? "*" : "").Append(rest).Append('}');
        return "";
    }
}

/// <summary>A parameter of a route template.</summary>
/// <param name="Name">As written.</param>
/// <param name="IsOptional">Whether a path may lack it.</param>
internal sealed record RouteParameter(string Name, bool IsOptional);
