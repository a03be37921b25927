package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The most forgiving file system compares names without letter case (NTFS, APFS, ext4 and f2fs with casefold), without
// characters that nobody sees (HFS+, casefold), by compatibility forms (ZFS with normalization=formKC: a full-width
// letter is the plain one), and takes short names (NTFS). What is protected has to be recognised on all of them, on
// whatever system this runs.

// foldName gives the plain form of a name, as the most forgiving file system compares it. Accents stay as they are.
func foldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	var out strings.Builder
	for _, r := range name {
		if !ignorable(r) {
			out.WriteString(foldRune(r))
		}
	}
	return out.String()
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// ignorable says whether file systems may pass over a character when they compare names.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// foldRune gives the plain form of one character: ASCII in lower case where it has one.
func foldRune(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(unicode.ToLower(r))
	case r >= 0xff01 && r <= 0xff5e: // full width
		return string(unicode.ToLower(r - 0xfee0))
	case r >= 0x24b6 && r <= 0x24e9: // in circles
		return string('a' + (r-0x24b6)%26)
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical letters, in alphabets of 26
		return string('a' + (r-0x1d400)%26)
	case r >= 0x1d7ce && r <= 0x1d7ff: // and digits
		return string('0' + (r-0x1d7ce)%10)
	}
	if mayBeCompatible(r) {
		if _, rest, found := strings.Cut(compatible, string(r)+"="); found {
			plain, _, _ := strings.Cut(rest, " ")
			return plain
		}
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return string(unicode.ToLower(least))
}

// mayBeCompatible leaves out the scripts of which the list below has nothing, because looking takes a while.
func mayBeCompatible(r rune) bool {
	greekToGeorgian := r >= 0x370 && r < 0x1d2c
	kana, han, hangul := r >= 0x3041 && r < 0x3190, r >= 0x3400 && r < 0xa000, r >= 0xac00 && r < 0xd7a4
	return !greekToGeorgian && !kana && !han && !hangul
}

// loosen makes one mark of all that is not plain, letters with accents behind them included: for names that may be the
// same in composed and in decomposed form. It makes more names the same than are.
func loosen(folded string) string {
	const mark = '?'
	var out []rune
	for _, r := range folded {
		accent := unicode.Is(unicode.M, r)
		if accent && len(out) > 0 {
			out = out[:len(out)-1]
		}
		if accent || r >= utf8.RuneSelf {
			r = mark
		}
		if r != mark || len(out) == 0 || out[len(out)-1] != mark {
			out = append(out, r)
		}
	}
	return string(out)
}

// sameName says whether a name may be a protected one on some file system. Both are folded.
func sameName(name, protectedName string) bool {
	if name == protectedName || strings.Contains(name, "~") && isShortName(name, protectedName) {
		return true
	}
	return !isASCII(protectedName) && loosen(name) == loosen(protectedName)
}

// isShortName says whether a name may be the short one that Windows makes for a long one: ".git" is also "git~1",
// "project.godot" is "projec~1.god", and when those are taken, two letters and four digits of a hash: "pr1a2b~1.god".
// Both names are folded.
func isShortName(name, long string) bool {
	base, ext, _ := strings.Cut(strings.TrimPrefix(long, "."), ".")
	head, tail, found := strings.Cut(name, "~")
	number, shortExt, _ := strings.Cut(tail, ".")
	if !found || number == "" || strings.Trim(number, "0123456789") != "" || shortExt != ext[:min(len(ext), 3)] {
		return false
	}
	if head == base[:min(len(base), 6)] || head == base[:max(0, min(len(base), 7-len(number)))] {
		return true
	}
	begin := base[:min(len(base), 2)]
	hash, found := strings.CutPrefix(head, begin)
	return found && len(hash) == 4 && strings.Trim(hash, "0123456789abcdef") == ""
}

// reservedName says whether a name is no file of its own on some system: a device of Windows, with any ending, or the
// way into another part of the file on macOS. The name is folded.
func reservedName(folded string) bool {
	base, _, _ := strings.Cut(folded, ".")
	switch base = strings.TrimRight(base, " "); base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	if digit, found := cutAnyPrefix(base, "com", "lpt"); found {
		return len(digit) == 1 && digit[0] >= '0' && digit[0] <= '9'
	}
	return folded == "..namedfork"
}

func cutAnyPrefix(s string, prefixes ...string) (string, bool) {
	for _, prefix := range prefixes {
		if rest, found := strings.CutPrefix(s, prefix); found {
			return rest, true
		}
	}
	return s, false
}

// compatible lists the other characters whose compatibility form (Unicode's NFKC_Casefold) is made of what protected
// names are made of.
const compatible = "ª=a ²=2 ³=3 ¹=1 º=o ß=ss Ĳ=ij ĳ=ij ſ=s Ǉ=lj ǈ=lj ǉ=lj Ǌ=nj ǋ=nj ǌ=nj Ǳ=dz ǲ=dz ǳ=dz ʰ=h ʲ=j ʳ=r ʷ=w ʸ=y " +
	"ˡ=l ˢ=s ˣ=x ᴬ=a ᴮ=b ᴰ=d ᴱ=e ᴳ=g ᴴ=h ᴵ=i ᴶ=j ᴷ=k ᴸ=l ᴹ=m ᴺ=n ᴼ=o ᴾ=p ᴿ=r ᵀ=t ᵁ=u ᵂ=w ᵃ=a ᵇ=b ᵈ=d ᵉ=e ᵍ=g " +
	"ᵏ=k ᵐ=m ᵒ=o ᵖ=p ᵗ=t ᵘ=u ᵛ=v ᵢ=i ᵣ=r ᵤ=u ᵥ=v ᶜ=c ᶠ=f ᶻ=z ẞ=ss ․=. ‥=.. …=... ⁰=0 ⁱ=i ⁴=4 ⁵=5 ⁶=6 ⁷=7 ⁸=8 " +
	"⁹=9 ⁿ=n ₀=0 ₁=1 ₂=2 ₃=3 ₄=4 ₅=5 ₆=6 ₇=7 ₈=8 ₉=9 ₐ=a ₑ=e ₒ=o ₓ=x ₕ=h ₖ=k ₗ=l ₘ=m ₙ=n ₚ=p ₛ=s ₜ=t ₨=rs ℂ=c " +
	"ℊ=g ℋ=h ℌ=h ℍ=h ℎ=h ℐ=i ℑ=i ℒ=l ℓ=l ℕ=n №=no ℙ=p ℚ=q ℛ=r ℜ=r ℝ=r ℠=sm ℡=tel ™=tm ℤ=z ℨ=z K=k ℬ=b ℭ=c ℯ=e " +
	"ℰ=e ℱ=f ℳ=m ℴ=o ℹ=i ℻=fax ⅅ=d ⅆ=d ⅇ=e ⅈ=i ⅉ=j Ⅰ=i Ⅱ=ii Ⅲ=iii Ⅳ=iv Ⅴ=v Ⅵ=vi Ⅶ=vii Ⅷ=viii Ⅸ=ix Ⅹ=x Ⅺ=xi " +
	"Ⅻ=xii Ⅼ=l Ⅽ=c Ⅾ=d Ⅿ=m ⅰ=i ⅱ=ii ⅲ=iii ⅳ=iv ⅴ=v ⅵ=vi ⅶ=vii ⅷ=viii ⅸ=ix ⅹ=x ⅺ=xi ⅻ=xii ⅼ=l ⅽ=c ⅾ=d ⅿ=m ①=1 " +
	"②=2 ③=3 ④=4 ⑤=5 ⑥=6 ⑦=7 ⑧=8 ⑨=9 ⑩=10 ⑪=11 ⑫=12 ⑬=13 ⑭=14 ⑮=15 ⑯=16 ⑰=17 ⑱=18 ⑲=19 ⑳=20 ⒈=1. ⒉=2. ⒊=3. " +
	"⒋=4. ⒌=5. ⒍=6. ⒎=7. ⒏=8. ⒐=9. ⒑=10. ⒒=11. ⒓=12. ⒔=13. ⒕=14. ⒖=15. ⒗=16. ⒘=17. ⒙=18. ⒚=19. ⒛=20. ⓪=0 ⱼ=j " +
	"ⱽ=v ㉐=pte ㉑=21 ㉒=22 ㉓=23 ㉔=24 ㉕=25 ㉖=26 ㉗=27 ㉘=28 ㉙=29 ㉚=30 ㉛=31 ㉜=32 ㉝=33 ㉞=34 ㉟=35 ㊱=36 ㊲=37 ㊳=38 ㊴=39 " +
	"㊵=40 ㊶=41 ㊷=42 ㊸=43 ㊹=44 ㊺=45 ㊻=46 ㊼=47 ㊽=48 ㊾=49 ㊿=50 ㋌=hg ㋍=erg ㋎=ev ㋏=ltd ㍱=hpa ㍲=da ㍳=au ㍴=bar ㍵=ov " +
	"㍶=pc ㍷=dm ㍸=dm2 ㍹=dm3 ㍺=iu ㎀=pa ㎁=na ㎃=ma ㎄=ka ㎅=kb ㎆=mb ㎇=gb ㎈=cal ㎉=kcal ㎊=pf ㎋=nf ㎎=mg ㎏=kg ㎐=hz " +
	"㎑=khz ㎒=mhz ㎓=ghz ㎔=thz ㎖=ml ㎗=dl ㎘=kl ㎙=fm ㎚=nm ㎜=mm ㎝=cm ㎞=km ㎟=mm2 ㎠=cm2 ㎡=m2 ㎢=km2 ㎣=mm3 ㎤=cm3 ㎥=m3 " +
	"㎦=km3 ㎩=pa ㎪=kpa ㎫=mpa ㎬=gpa ㎭=rad ㎰=ps ㎱=ns ㎳=ms ㎴=pv ㎵=nv ㎷=mv ㎸=kv ㎹=mv ㎺=pw ㎻=nw ㎽=mw ㎾=kw ㎿=mw " +
	"㏂=a.m. ㏃=bq ㏄=cc ㏅=cd ㏇=co. ㏈=db ㏉=gy ㏊=ha ㏋=hp ㏌=in ㏍=kk ㏎=km ㏏=kt ㏐=lm ㏑=ln ㏒=log ㏓=lx ㏔=mb ㏕=mil " +
	"㏖=mol ㏗=ph ㏘=p.m. ㏙=ppm ㏚=pr ㏛=sr ㏜=sv ㏝=wb ㏿=gal ꟲ=c ꟳ=f ꟴ=q ﬀ=ff ﬁ=fi ﬂ=fl ﬃ=ffi ﬄ=ffl ﬅ=st ﬆ=st ︙=... " +
	"︰=.. ︳=_ ︴=_ ﹍=_ ﹎=_ ﹏=_ ﹒=. ﹣=- ﹩=$ 𐞥=q 🄀=0. 🄫=c 🄬=r 🄭=cd 🄮=wz 🄰=a 🄱=b 🄲=c 🄳=d 🄴=e 🄵=f 🄶=g 🄷=h 🄸=i 🄹=j " +
	"🄺=k 🄻=l 🄼=m 🄽=n 🄾=o 🄿=p 🅀=q 🅁=r 🅂=s 🅃=t 🅄=u 🅅=v 🅆=w 🅇=x 🅈=y 🅉=z 🅊=hv 🅋=mv 🅌=sd 🅍=ss 🅎=ppv 🅏=wc 🅪=mc 🅫=md " +
	"🅬=mr 🆐=dj 🯰=0 🯱=1 🯲=2 🯳=3 🯴=4 🯵=5 🯶=6 🯷=7 🯸=8 🯹=9 "
