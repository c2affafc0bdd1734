using System.Text;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;

namespace Weir.AspNetCore.Endpoints;

/// <summary>What Weir asks of routing's patterns.</summary>
internal static class RoutePatterns
{
    /// <summary>Parses a template; its constraints are made once, so that an unknown one stops the start and not every request.</summary>
    /// <param name="subject">What is served there, for the message.</param>
    /// <param name="template">With the prefix.</param>
    /// <param name="policies">Makes the constraints; <c>null</c> where routing is not registered.</param>
    /// <exception cref="InvalidOperationException">It does not parse, or a constraint cannot be made.</exception>
    internal static RoutePattern Parse(string subject, string template, ParameterPolicyFactory? policies)
    {
        try
        {
            var pattern = RoutePatternFactory.Parse(template);
            foreach (var (name, references) in pattern.ParameterPolicies)
            {
                foreach (var reference in references)
                {
                    policies?.Create(pattern.GetParameter(name), reference);
                }
            }

            return pattern;
        }
        catch (Exception error) when (error is RoutePatternException or InvalidOperationException or RouteCreationException)
        {
            throw new InvalidOperationException(
                $"The route '{template}' of {subject} cannot be used: {error.Message} Correct its template; a constraint of the application is registered in RouteOptions.ConstraintMap. See {WeirCodes.DuplicateRoute}.",
                error);
        }
    }

    /// <summary>Whether the last segment is text, so that an extension can follow it.</summary>
    internal static bool EndsInText(RoutePattern pattern) => pattern.PathSegments is [.., var last] && last.Parts.All(static part => part.IsLiteral);

    /// <summary>Whether every path that has the segments of a pattern matches it: there is neither a constraint nor a segment of several parts.</summary>
    internal static bool IsPlain(RoutePattern pattern) => pattern.ParameterPolicies.Count == 0 && pattern.PathSegments.All(static segment => segment.IsSimple);

    /// <summary>The same text for patterns that match the same paths: without the names of parameters and without upper case.</summary>
    internal static string Shape(RoutePattern pattern)
    {
        var shape = new StringBuilder();
        foreach (var segment in pattern.PathSegments)
        {
            shape.Append('/');
            foreach (var part in segment.Parts)
            {
                shape.Append(part switch
                {
                    RoutePatternLiteralPart literal => literal.Content.ToUpperInvariant(),
                    RoutePatternSeparatorPart separator => separator.Content,
                    RoutePatternParameterPart parameter => $"{{{(parameter.IsCatchAll ? "*" : "")}:{string.Join(':', parameter.ParameterPolicies.Select(static one => one.Content))}{(parameter.IsOptional ? "?" : "")}}}",
                    _ => part.ToString(),
                });
            }
        }

        return shape.ToString();
    }
}
