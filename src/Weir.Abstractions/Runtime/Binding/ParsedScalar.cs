using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>The scalars of types that parse their own text. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ParsedScalar
{
    /// <summary>The scalar of a type with a static <c>TryParse</c>.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="parse">How it parses its text; the same for each call.</param>
    public static Scalar<T> Of<T>(TextParser<T> parse) => ParsedScalar<T>.Of(parse);

    /// <summary>The scalar of a type that implements <see cref="IParsable{TSelf}"/>.</summary>
    /// <typeparam name="T">The type.</typeparam>
    public static Scalar<T> OfParsable<T>()
        where T : IParsable<T> => ParsedScalar<T>.Of(static (string text, out T value) => T.TryParse(text, CultureInfo.InvariantCulture, out value!));
}
